/** What the workflows of the git host and of git servers may call. */
import type { ActivityNeeds } from '../context/needs.ts'
import { deployPushed } from './deploy-pushed.ts'
import { deployGitPushed } from './git-pushed.ts'
import { passPullRequest } from './pull-request.ts'

export const createGitHostActivities = (needs: ActivityNeeds) => ({
  deployPushed: deployPushed(needs),
  deployGitPushed: deployGitPushed(needs),
  passPullRequest: passPullRequest(needs),
})
