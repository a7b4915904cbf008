import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { agentPlatformOperations, runEvents, settingRows } from '@homeward/contract/agent-platform'
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

  it.each([
    ['docs/reference/device-cloud.md', deviceCloudOperations],
    ['docs/reference/agent-platform.md', agentPlatformOperations],
  ])('%s shows every operation of its table', (page, operations) => {
    const text = pages.get(page) ?? ''
    const missing = Object.entries(operations).filter(([id, { method, path }]) => {
      return !text.includes(`### ${id}\n`) || !text.includes(`\`${method} ${path}\``)
    })
    expect(missing).toEqual([])
  })

  it('shows every event of a stream and every setting', () => {
    const text = pages.get('docs/reference/agent-platform.md') ?? ''
    expect(Object.keys(runEvents).filter((name) => !text.includes(`### ${name} event\n`))).toEqual([])
    expect(Object.keys(settingRows).filter((key) => !text.includes(`\n| \`${key}\` `))).toEqual([])
  })

  it.each(['device-cloud', 'agent-platform', 'skills'])('%s shows no field without its type', (page) => {
    const text = pages.get(`docs/reference/${page}.md`)
    expect(text).not.toMatch(/undefined|\[object|\| anything +\||__schema/)
  })
})

describe('what the pages are made from', () => {
  it('refuses a code without a comment', () => {
    const source = 'packages/contract/src/operation.ts'
    expect(() => codeComments(source, 'OperationTable')).toThrow('Could not find the union OperationTable')
    expect([...codeComments(source, 'AuthKind').keys()]).toEqual([
      'device',
      'enrolling',
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
    const [first] = eventComments('packages/cloud-core/src/context/cloud-events.ts', 'DeviceCloudEventMap')
    expect(first).toEqual({
      name: 'device:registered',
      comment: 'A device was registered.',
      payload: '{ deviceId: string; userId: string }',
    })
  })
})
