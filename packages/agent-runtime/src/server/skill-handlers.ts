import type { PlatformContext, PlatformHandlers } from './platform-context.ts'
import { readUpload, readUploadText } from './read-upload.ts'

type SkillHandlers = Pick<
  PlatformHandlers,
  | 'listSkills'
  | 'getSkill'
  | 'deleteSkill'
  | 'installSkill'
  | 'installSystemSkills'
  | 'uploadSkill'
  | 'uploadSkillMarkdown'
  | 'previewUploadedSkill'
  | 'getStoreRegistry'
  | 'previewStoreSkill'
  | 'getSkillConfigSchema'
  | 'getSkillConfig'
  | 'saveSkillConfig'
  | 'getSkillSetup'
>

const maxMarkdownBytes = 5 * 1024 * 1024

/** Skills (A15). */
export function createSkillHandlers(context: PlatformContext): SkillHandlers {
  const { skills } = context.services
  return {
    listSkills: async () => ({ skills: await skills.list() }),
    getSkill: async ({ params }) => ({ skill: await skills.get(params.id) }),
    async deleteSkill({ params }) {
      await skills.remove(params.id)
      return { ok: true }
    },
    async installSkill({ body, request }) {
      return { ok: true, skill: await skills.install(body, request.signal) }
    },
    async installSystemSkills({ request }) {
      return { ok: true, installed: await skills.installSystem(request.signal) }
    },
    async uploadSkill({ request }) {
      const content = readUpload(request, context.maxUploadBytes)
      return { ok: true, skill: await skills.uploadZip(content, request.signal) }
    },
    async uploadSkillMarkdown({ request }) {
      const text = await readUploadText(request, maxMarkdownBytes)
      return { ok: true, skill: await skills.uploadMarkdown(text, request.signal) }
    },
    async previewUploadedSkill({ request }) {
      const content = readUpload(request, context.maxUploadBytes)
      return { skill: await skills.previewUpload(content, request.signal) }
    },
    async getStoreRegistry({ request }) {
      const { skills: offered, invalid, ...addresses } = await skills.registry(request.signal)
      return { skills: [...offered], ...addresses, ...(invalid && { invalid: [...invalid] }) }
    },
    previewStoreSkill: async ({ query, request }) => ({
      skill: await skills.preview(query.slug, request.signal),
    }),
    getSkillConfigSchema: ({ params }) => skills.configSchema(params.id),
    getSkillConfig: ({ params }) => skills.configView(params.id),
    async saveSkillConfig({ params, body }) {
      await skills.saveConfig(params.id, body)
      return { ok: true }
    },
    getSkillSetup: async ({ params }) => ({ setup_markdown: await skills.setup(params.id) }),
  }
}
