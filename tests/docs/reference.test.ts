import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { deviceCloudOperations } from '@homeward/contract/device-cloud'
import { describe, expect, it } from 'vitest'
import { referencePages } from '../../scripts/reference/reference-pages.ts'
import { codeComments, eventComments } from '../../scripts/reference/source-comments.ts'
import { workspaceFolder } from '../../scripts/workspace-packages.ts'

const pages = await referencePages()

describe('docs/reference', () => {
  it.each([...pages.keys()])(
    '%s is what the source gives: run `npm run reference` after a change',
    (page) => {
      const path = join(workspaceFolder, page)
      expect(existsSync(path) ? readFileSync(path, 'utf8') : '').toBe(pages.get(page))
    },
  )

  it('shows every operation of the device cloud', () => {
    const text = pages.get('docs/reference/device-cloud.md') ?? ''
    const missing = Object.entries(deviceCloudOperations).filter(([id, { method, path }]) => {
      return !text.includes(`### ${id}\n`) || !text.includes(`\`${method} ${path}\``)
    })
    expect(missing).toEqual([])
  })

  it('shows no field without its type', () => {
    expect(pages.get('docs/reference/device-cloud.md')).not.toMatch(
      /undefined|\[object|\| anything \| always/,
    )
  })
})

describe('what the pages are made from', () => {
  it('refuses a code without a comment', () => {
    const source = 'packages/contract/src/operation.ts'
    expect(() => codeComments(source, 'OperationTable')).toThrow('Could not find the union OperationTable')
    expect([...codeComments(source, 'AuthKind').keys()]).toEqual([
      'device',
      'session',
      'local',
      'webhook',
      'public',
    ])
    expect(() => codeComments('packages/device-sdk/src/agent/agent-events.ts', 'WorkKind')).toThrow(
      'without a comment: searches, uploads',
    )
  })

  it('gives the payload of both kinds of event maps', () => {
    const [first] = eventComments('packages/cloud-core/src/cloud-events.ts', 'CloudEvents')
    expect(first).toEqual({
      name: 'device:registered',
      comment: 'A device was registered.',
      payload: '{ deviceId: string; userId: string }',
    })
  })
})
