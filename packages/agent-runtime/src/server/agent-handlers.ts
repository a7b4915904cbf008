import type { PlatformContext, PlatformHandlers } from './platform-context.ts'
import {
  checkContentLength,
  payloadTooLarge,
  validationError,
  type RequestView,
} from '@homeward/contract/handler'
import { readBounded } from '@homeward/kit'
import { readArrivals } from './read-form.ts'

type AgentHandlers = Pick<
  PlatformHandlers,
  | 'listAgents'
  | 'createAgent'
  | 'listAgentTemplates'
  | 'getAgent'
  | 'updateAgent'
  | 'deleteAgent'
  | 'listAgentVersions'
  | 'restoreAgentVersion'
  | 'listRememberedApprovals'
  | 'forgetApproval'
>

/** Agents (A3). */
export function createAgentHandlers({ services: { agents, runs } }: PlatformContext): AgentHandlers {
  return {
    listAgents: async ({ request }) => ({ agents: await agents.list(request.signal) }),
    createAgent: async ({ body, request }) => ({
      ok: true,
      agent: await agents.create(body, request.signal),
    }),
    listAgentTemplates: async () => ({ templates: await agents.templates() }),
    getAgent: async ({ params, request }) => ({ agent: await agents.get(params.id, request.signal) }),
    updateAgent: async ({ params, body, request }) => {
      return { ok: true, agent: await agents.update(params.id, body, request.signal) }
    },
    async deleteAgent({ params, request }) {
      await agents.delete(params.id, request.signal)
      return { ok: true }
    },
    async listAgentVersions({ params, query, request }) {
      const { versions, nextCursor } = await agents.versions(params.id, query, request.signal)
      return { versions, ...(nextCursor !== undefined && { next_cursor: nextCursor }) }
    },
    restoreAgentVersion: async ({ params, request }) => ({
      ok: true,
      agent: await agents.restore(params.id, params.version, request.signal),
    }),
    listRememberedApprovals: async ({ params, query }) => ({
      approvals: await runs.rememberedApprovals(params.id, { userId: query.user_id }),
    }),
    async forgetApproval({ params, query }) {
      await runs.forgetApproval(params.id, params.approval_id, { userId: query.user_id })
      return { ok: true }
    },
  }
}

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

const maxParts = 16
/** Room for the other parts and for headers. */
const formOverheadBytes = 64 * 1024

/**
 * The first file of a `multipart/form-data` body, as it arrives: it is never held in memory. A client may name the part
 * as it likes. A text part named `file` counts too: that is how a Markdown text is sent by hand.
 *
 * @throws {HttpError} 413 over `maxBytes`; 400 when the body is broken, was cut, or has no file.
 */
async function* readUpload(request: RequestView, maxBytes: number): AsyncGenerator<Uint8Array, void> {
  checkContentLength(request, 'The upload', maxBytes + formOverheadBytes)
  const limits = {
    maxParts,
    maxFieldBytes: maxBytes,
    maxBytes: maxBytes + formOverheadBytes,
    textFile: 'file',
  }
  let state: 'before' | 'inside' | 'behind' = 'before'
  let size = 0
  for await (const arrival of readArrivals(request, limits)) {
    if (arrival.kind === 'file' && state === 'before') state = 'inside'
    if (state !== 'inside') continue
    if (arrival.kind === 'file-end') state = 'behind'
    if (arrival.kind !== 'chunk') continue
    size += arrival.chunk.length
    if (size > maxBytes) throw payloadTooLarge('The upload', maxBytes)
    yield arrival.chunk
  }
  if (state === 'before') throw validationError('file: is missing. Send the file as the form part "file".')
}

/** The whole upload as text. @throws {HttpError} also 400 when it is not UTF-8. */
async function readUploadText(request: RequestView, maxBytes: number): Promise<string> {
  const bytes = await readBounded(readUpload(request, maxBytes), maxBytes)
  if (!bytes) throw payloadTooLarge('The upload', maxBytes)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw validationError('file: is not valid UTF-8')
  }
}
