/** Root hooks for mocha itself, as editors start it: they stop the servers at its end. `npm test` does that alone. */
import { stopStack } from './stack.ts'

export const mochaHooks = {
  async afterAll(this: Mocha.Context): Promise<void> {
    this.timeout(30_000)
    await stopStack()
  },
}
