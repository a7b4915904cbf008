import { ZipFile } from 'yazl'
import type { PlatformRecorder } from './agents-and-runs.ts'

const markdown = `---
name: office-rules
description: Rules of the office.
---

Rooms are booked for at most two hours.
`

const room = `---
name: rooms
description: Finds a free room.
version: 1.2.0
api_base: https://rooms.example.com
---

Offer the smallest room that fits.
`

const configSchema = {
  type: 'object',
  properties: {
    base: { type: 'string', title: 'Address' },
    api_key: { type: 'string', title: 'API key', format: 'password' },
  },
  required: ['api_key'],
}

/** Records skills. */
export async function recordSkills({ record, send }: PlatformRecorder): Promise<void> {
  const archive = await zip({
    'SKILL.md': room,
    'tools.yaml': 'tools:\n  - { id: rooms_free, description: Free rooms, method: GET, path: /free }\n',
    'config.schema.json': JSON.stringify(configSchema),
    'SETUP.md': '# Get a key\n\nAsk the front desk.\n',
  })
  await record('previewUploadedSkill', { form: form(archive, 'rooms.zip') })
  const { skill } = await record('uploadSkill', { form: form(archive, 'rooms.zip') })
  await record('uploadSkillMarkdown', { form: form(new Blob([markdown]), 'SKILL.md') })
  const params = { id: skill.id }
  await record('saveSkillConfig', { params, body: { api_key: 'example-key' } })
  await record('getSkillConfig', { params })
  await record('getSkillConfigSchema', { params })
  await record('getSkillSetup', { params })
  await record('listSkills')
  await record('getSkill', { params })
  await record('deleteSkill', { params })

  await send('updateSettings', {
    body: {
      registry_url: 'https://skills.example.com/registry.json',
      store_base: 'https://skills.example.com',
    },
  })
  await record('getStoreRegistry')
  const preview = await record('previewStoreSkill', { query: { slug: 'haiku' } })
  await record('installSkill', { body: { slug: 'haiku', hash: preview.skill.hash } })
  await record('installSystemSkills')
}

function form(content: Blob, name: string): FormData {
  const data = new FormData()
  data.append('file', content, name)
  return data
}

async function zip(files: Readonly<Record<string, string>>): Promise<Blob> {
  const archive = new ZipFile()
  for (const [name, text] of Object.entries(files)) archive.addBuffer(Buffer.from(text), name)
  archive.end()
  const chunks = await Array.fromAsync(archive.outputStream as AsyncIterable<Buffer>)
  return new Blob(chunks.map((chunk) => new Uint8Array(chunk)))
}
