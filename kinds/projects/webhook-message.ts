/** The body of a test delivery. */

export const testEvent = 'webhook.test'

export function testMessage(project: string, webhook: string, at: string): string {
  return JSON.stringify({ type: testEvent, timestamp: at, data: { project, webhook } })
}
