import { join } from 'node:path'
import { expect, it } from 'vitest'
import { workspaceFolder } from '../../scripts/workspace-packages.ts'
import { failuresOf } from './run-conformance.ts'

const agent = join(workspaceFolder, 'apps/homeward/src/device/main.ts')

it('the device agent of this repository passes every level', { timeout: 600_000 }, async () => {
  const command = [process.execPath, '--conditions=@homeward/source', agent]
  expect(await failuresOf('selective', command)).toEqual([])
})
