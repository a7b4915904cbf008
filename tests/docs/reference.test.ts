import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  agentPlatformOperations,
  openaiOperations,
  runEvents,
  settingRows,
} from '@homeward/contract/agent-platform'
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
    ['cloud', 'device-cloud', deviceCloudOperations],
    ['platform', 'agent-platform', { ...agentPlatformOperations, ...openaiOperations }],
  ])(
    '%s shows every operation of its table on one page, with a link in the index',
    (folder, index, operations) => {
      const subjects = [...pages].filter(([page]) => page.startsWith(`docs/reference/${folder}/`))
      const links = pages.get(`docs/reference/${index}.md`) ?? ''
      const wrong = Object.entries(operations).filter(([id, { method, path }]) => {
        const shown = subjects.filter(([, text]) => text.includes(`\n### ${id}\n\n\`${method} ${path}\`\n`))
        const [page = ''] = shown[0] ?? []
        return (
          shown.length !== 1 ||
          !links.includes(`(${page.slice('docs/reference/'.length)}#${id.toLowerCase()})`)
        )
      })
      expect(wrong).toEqual([])
    },
  )

  it('shows every event of a stream and every setting', () => {
    const stream = pages.get('docs/reference/platform/stream.md') ?? ''
    const settings = pages.get('docs/reference/platform/settings.md') ?? ''
    expect(Object.keys(runEvents).filter((name) => !stream.includes(`### ${name} event\n`))).toEqual([])
    expect(Object.keys(settingRows).filter((key) => !settings.includes(`\n| \`${key}\` `))).toEqual([])
  })

  it.each([...pages.keys()])('%s shows no field without its type', (page) => {
    expect(pages.get(page)).not.toMatch(/\[object|\| (?:undefined|anything) +\||__schema/)
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
