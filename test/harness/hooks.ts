/** Root hooks of every run: they stop the servers of the run at its end. */
import { stopStack } from './stack.ts'

export const mochaHooks = {
  async afterAll(this: Mocha.Context): Promise<void> {
    this.timeout(30_000)
    await stopStack()
  },
}
