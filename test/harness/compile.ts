/**
 * Compiles the code of the worker and the api, and bundles the workflows, for all processes of a run: Node writes what
 * a process compiled when it ends by itself, and tests kill most of the many that they start. `node
 * test/harness/compile.ts` ends when all is written.
 */
import { workflowBundle } from '../../temporal/releases/workflow-bundle.ts'

await Promise.all([import('../../api/process/start.ts'), import('../../temporal/worker.ts'), workflowBundle()])
