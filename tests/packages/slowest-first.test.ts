import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { TestSpecification, Vitest } from 'vitest/node'
import { expect, it } from 'vitest'
import { workspaceFolder } from '../../scripts/workspace-packages.ts'
import { SlowestFirst, slowest } from '../slowest-first.ts'

it('knows only files that are there', () => {
  expect(slowest.filter((file) => !existsSync(join(workspaceFolder, file)))).toEqual([])
})

it('begins each project with its slowest files, and leaves those of the browser to the end', async () => {
  const cache = { getTestSpecificationResult: () => undefined }
  const context = { config: { root: workspaceFolder }, cache } as unknown as Vitest
  const specification = (name: string, file: string) => {
    const project = { name, config: { sequence: { groupOrder: 0 }, isolate: true } }
    return { project, moduleId: join(workspaceFolder, file) } as unknown as TestSpecification
  }
  const [first = '', second = ''] = slowest
  const files = [
    specification('browser', 'tests/dashboard/agents.test.ts'),
    specification('long', 'tests/packages/boundaries.test.ts'),
    specification('long', second),
    specification('long', first),
    specification('apart', 'tests/packages/budgets.test.ts'),
  ]
  // oxlint-disable-next-line unicorn/no-array-sort -- it is no array's
  const sorted = await new SlowestFirst(context).sort(files)
  expect(sorted.map((file) => files.indexOf(file))).toEqual([4, 3, 2, 1, 0])
})
