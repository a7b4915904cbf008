import { abortSignal, byteStream, fields, optional, text } from '../host-input/check-call.ts'

const signal = optional(abortSignal)
const choice = fields({ slug: text, hash: optional(text) })

/** What the methods of a skill library take, for what stands for one until it is loaded. */
export const skillMethods = {
  snapshot: {},
  config: { skillId: text },
  list: {},
  get: { skillId: text },
  remove: { skillId: text },
  install: { wanted: (wanted: unknown) => (typeof wanted === 'string' ? undefined : choice(wanted)), signal },
  preview: { slug: text, signal },
  installSystem: { signal },
  uploadZip: { content: byteStream, signal },
  previewUpload: { content: byteStream, signal },
  uploadMarkdown: { text, signal },
  registry: { signal },
  configSchema: { skillId: text },
  configView: { skillId: text },
  saveConfig: { skillId: text, config: fields({}) },
  setup: { skillId: text },
} as const
