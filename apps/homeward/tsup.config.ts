import { programBuild } from '../../scripts/program-build.ts'

/** Start as threads or processes. */
export const threads = [
  'packages/agent-runtime/src/json-schema/schema-worker.ts',
  'packages/agent-runtime/src/tools/code/program-worker.ts',
  'packages/kit/src/documents/document-worker.ts',
]

export default programBuild(import.meta.dirname, threads)
