/** The activities of the workflows for the git host and for other git servers. */
import type { ActivityNeeds } from '../context/needs.ts'
import { deployPushed } from './deploy-pushed.ts'
import { deployGitPushed } from './git-pushed.ts'
import { passPullRequest } from './pull-request.ts'

export const createGitHostActivities = (needs: ActivityNeeds) => ({
  deployPushed: deployPushed(needs),
  deployGitPushed: deployGitPushed(needs),
  passPullRequest: passPullRequest(needs),
})
