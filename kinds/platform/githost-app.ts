/** Who svc is at the git host: the six values of the Secret that `githubAppRef` names. */
export interface GitHostApp {
  readonly appId: string
  readonly clientId: string
  readonly clientSecret: string
  readonly slug: string
  readonly privateKey: string
  readonly webhookSecret: string
}
