import * as z from 'zod/mini'
import type { Operation } from '../operation.ts'
import { RegistryEntry } from '../skill-store/registry-entry.ts'
import { BrokenSkill, InstalledSkill, Skill, SkillDetails, SkillPreview, StoreSkillPreview } from './skill.ts'
import { JsonObject } from '../json-value.ts'
import { Done, orAbsent, Slug } from './values.ts'

const byId = z.object({ id: Slug })
const installed = z.object({ ok: z.literal(true), skill: InstalledSkill })

/** Skills (A15). */
export const skillOperations = {
  listSkills: {
    method: 'GET',
    path: '/api/skills',
    auth: 'local',
    summary: 'Lists the installed skills; one that cannot be used stands there with the reason.',
    source: 'Other route families; A15',
    reply: z.object({ skills: z.array(z.union([Skill, BrokenSkill])) }),
  },
  getSkill: {
    method: 'GET',
    path: '/api/skills/{id}',
    auth: 'local',
    summary: 'Gives one skill with its instructions.',
    source: 'A15',
    params: byId,
    reply: z.object({ skill: z.union([SkillDetails, BrokenSkill]) }),
    errors: [404],
  },
  deleteSkill: {
    method: 'DELETE',
    path: '/api/skills/{id}',
    auth: 'local',
    summary: 'Removes a skill. Its config stays for the next installation.',
    source: 'A15',
    params: byId,
    reply: Done,
    errors: [404],
  },
  installSkill: {
    method: 'POST',
    path: '/api/skills/install',
    auth: 'local',
    summary: 'Fetches a skill from the store and installs it.',
    source: 'Skills; A15',
    body: z.object({
      slug: Slug,
      /** `hash` of a preview: other content is refused with 409. Absent: whatever the store has. */
      hash: orAbsent(z.string().check(z.regex(/^[0-9a-f]{64}$/, 'must be 64 hexadecimal digits'))),
    }),
    status: 201,
    reply: installed,
    errors: [404, 409, 422, 502],
  },
  installSystemSkills: {
    method: 'POST',
    path: '/api/skills/install-system',
    auth: 'local',
    summary:
      'Copies the skills of the seed directory into the skills directory; what is there already stays.',
    source: 'Skills; A15',
    reply: z.object({ ok: z.literal(true), installed: z.array(Slug) }),
    errors: [409, 422],
  },
  uploadSkill: {
    method: 'POST',
    path: '/api/skills/upload',
    auth: 'local',
    summary: 'Installs a skill from a zip archive.',
    source: 'Skills; A15',
    form: { fields: z.object({}), file: 'file' },
    status: 201,
    reply: installed,
    errors: [409, 422],
  },
  uploadSkillMarkdown: {
    method: 'POST',
    path: '/api/skills/upload-skill-md',
    auth: 'local',
    summary: 'Installs a skill from a SKILL.md file.',
    source: 'Skills; A15',
    form: { fields: z.object({}), file: 'file' },
    status: 201,
    reply: installed,
    errors: [409, 422],
  },
  previewUploadedSkill: {
    method: 'POST',
    path: '/api/skills/upload-preview',
    auth: 'local',
    summary:
      'Reads a zip archive or a SKILL.md and says what installing it would bring and change; installs nothing.',
    source: 'A15, D20',
    form: { fields: z.object({}), file: 'file' },
    reply: z.object({ skill: SkillPreview }),
    errors: [409, 422],
  },
  getStoreRegistry: {
    method: 'GET',
    path: '/api/skills/store-registry',
    auth: 'local',
    summary: 'Gives what the configured store offers; without one the list is empty.',
    source: 'Skills',
    reply: z.object({
      skills: z.array(RegistryEntry),
      storeBase: z.nullable(z.string()),
      registryUrl: z.nullable(z.string()),
      /** Entries that cannot be used, by their place in the registry, and why. */
      invalid: z.optional(z.array(z.object({ index: z.int(), error: z.string() }))),
    }),
    errors: [502],
  },
  previewStoreSkill: {
    method: 'GET',
    path: '/api/skills/store-preview',
    auth: 'local',
    summary:
      'Fetches a skill from the store and says what installing it would bring and change; installs nothing.',
    source: 'A15, D20',
    query: z.object({ slug: Slug }),
    reply: z.object({ skill: StoreSkillPreview }),
    errors: [404, 409, 422, 502],
  },
  getSkillConfigSchema: {
    method: 'GET',
    path: '/api/skills/{id}/config/schema',
    auth: 'local',
    summary: "Gives the JSON Schema of the skill's config.",
    source: 'Skills; A15',
    params: byId,
    reply: JsonObject,
    errors: [404, 422],
  },
  getSkillConfig: {
    method: 'GET',
    path: '/api/skills/{id}/config',
    auth: 'local',
    summary: "Gives the skill's config; secrets as booleans.",
    source: 'A15',
    params: byId,
    reply: JsonObject,
    errors: [404, 422],
  },
  saveSkillConfig: {
    method: 'PUT',
    path: '/api/skills/{id}/config',
    auth: 'local',
    summary: "Replaces the skill's config; a secret that is absent keeps its value.",
    source: 'A15',
    params: byId,
    body: JsonObject,
    reply: Done,
    errors: [404, 422],
  },
  getSkillSetup: {
    method: 'GET',
    path: '/api/skills/{id}/setup',
    auth: 'local',
    summary: "Gives the skill's setup text.",
    source: 'Skills; A15',
    params: byId,
    reply: z.object({ setup_markdown: z.string() }),
    errors: [404, 422],
  },
} as const satisfies Record<string, Operation>
