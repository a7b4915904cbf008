import { join } from 'node:path'
import { expect, it } from 'vitest'
import { workspaceFolder } from '../../scripts/workspace-packages.ts'
import { failuresOf, hasProgram, runConformance } from './run-conformance.ts'

const agent = join(workspaceFolder, 'apps/homeward/src/device/main.ts')

it('the device agent of this repository passes every level', { timeout: 600_000 }, async () => {
  const command = [process.execPath, '--conditions=@homeward/source', agent]
  expect(await failuresOf('chunked,selective,work', command)).toEqual([])
})

it.skipIf(!hasProgram('env'))('an agent that polls fails the level of the one request', async () => {
  const ids = ['work-search', 'work-upload', 'work-wait', 'work-once', 'work-lost']
  const only = ids.flatMap((id) => ['--only', id])
  const pace = ['--interval', '0.3', '--patience', '4', '--jobs', '5']
  const command = ['env', 'DEVICE_WORK=poll', process.execPath, '--conditions=@homeward/source', agent]
  const run = ['device', '--level', 'work', ...only, ...pace, '--', ...command]
  const { results } = await runConformance(run)
  expect(results.map(({ id, outcome }) => [id, outcome])).toEqual(ids.map((id) => [id, 'failed']))
})

it.skipIf(!hasProgram('env'))('an agent whose owner allows it finds words inside documents', async () => {
  const ids = ['search-content', 'search-content-skipped']
  const only = ids.flatMap((id) => ['--only', id])
  const pace = ['--interval', '0.3', '--patience', '20']
  const command = [
    'env',
    'DEVICE_CONTENT_SEARCH=on',
    process.execPath,
    '--conditions=@homeward/source',
    agent,
  ]
  const { results } = await runConformance([
    'device',
    '--level',
    'documents',
    ...only,
    ...pace,
    '--',
    ...command,
  ])
  expect(results.map(({ id, outcome }) => [id, outcome])).toEqual(ids.map((id) => [id, 'passed']))
})
