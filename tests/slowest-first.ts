import { relative } from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** What takes longest of each project, the longest first. A clean checkout knows no times but these. */
export const slowest = [
  'tests/packed/versions.test.ts',
  'packages/agent-runtime/src/store/postgres/create-postgres-store.test.ts',
  'packages/agent-runtime/src/store/postgres/crash-kit.test.ts',
  'tests/docs/code-blocks.test.ts',
  'packages/agent-runtime/src/testing/crash-kit.test.ts',
  'tests/mcp/client-suite.test.ts',
  'tests/platform/work-that-waits.test.ts',
  'packages/cloud-core/src/postgres/presence/two-databases.test.ts',
  'tests/platform/several-servers.test.ts',
  'tests/conformance/mutants.test.ts',
  'packages/cloud-core/src/postgres/crash-kit.test.ts',
  'tests/cloud/catalogs.test.ts',
  'packages/agent-runtime/src/store/sqlite/create-sqlite-store.test.ts',
  'packages/agent-runtime/src/tools/exec/exec-tool.test.ts',
  'apps/homeward/src/server/event-server.test.ts',
]

/**
 * Begins with the files that take longest, so that no worker works alone in the end. What drives a browser comes last of all:
 * its many files of middle length fill the workers evenly.
 */
export class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const root = this.ctx.config.root
    const place = ({ moduleId }: TestSpecification) => {
      const index = slowest.indexOf(relative(root, moduleId).replaceAll('\\', '/'))
      return index === -1 ? slowest.length : index
    }
    // oxlint-disable-next-line unicorn/no-array-sort -- it is no array's
    const sorted = await super.sort(files)
    const projects = [...new Set(sorted.map(({ project }) => project.name))]
    const turn = ({ project: { name } }: TestSpecification) =>
      name === 'browser' ? projects.length : projects.indexOf(name)
    // a stable sort: the rest of a project stays by the time of an earlier run, or by size
    return sorted.toSorted((one, other) => turn(one) - turn(other) || place(one) - place(other))
  }
}
