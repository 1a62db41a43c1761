/** Root hooks of every run: the servers of the run end with it. */
import { stopStack } from './stack.ts'

export const mochaHooks = {
  async afterAll(this: Mocha.Context): Promise<void> {
    this.timeout(30_000)
    await stopStack()
  },
}
