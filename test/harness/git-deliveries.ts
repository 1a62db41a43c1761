/**
 * Deliveries of git servers, as the documents of Gitea and GitLab describe the body of a push
 * (docs.gitea.com/usage/webhooks, docs.gitlab.com/user/project/integrations/webhook_events).
 */
import { createHmac, randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export type GitServer = 'gitea' | 'gitlab'

const documented = (server: GitServer): Record<string, unknown> =>
  JSON.parse(readFileSync(join(import.meta.dirname, `git-deliveries/${server}-push.json`), 'utf8')) as Record<
    string,
    unknown
  >

/** The body as documented, with other values for some of its fields. */
export const pushBody = (server: GitServer, more: object = {}): object => ({ ...documented(server), ...more })

/** The commit that both bodies name as the head. */
export const pushedCommit = '9a1b2c3d4e5f60718293a4b5c6d7e8f901234567'

/** The headers with which the server sends this body. */
export const deliveryHeaders = (
  server: GitServer,
  { body, secret, delivery = randomUUID() }: { body: string; secret: string; delivery?: string },
): Record<string, string> =>
  server === 'gitea'
    ? {
        'x-gitea-event': 'push',
        'x-gitea-delivery': delivery,
        'x-gitea-signature': createHmac('sha256', secret).update(body).digest('hex'),
      }
    : { 'x-gitlab-event': 'Push Hook', 'x-gitlab-token': secret, 'x-gitlab-event-uuid': delivery }
