import type {
  BrokenSkill,
  InstalledSkill,
  JsonObject,
  Skill,
  SkillDetails,
  SkillPreview,
  StoreSkillPreview,
} from '@homeward/contract/agent-platform'
import type { RegistryEntry } from '@homeward/contract/skill-store'
import type { ToolDefinition } from './definitions/tool-definition.ts'

/** A loaded skill that can be used. */
export interface LoadedSkill {
  /** Name of the skill's folder. */
  readonly id: string
  readonly name: string
  readonly description: string
  readonly version?: string
  /** Absolute path. */
  readonly folder: string
  /** Text that the model receives when it opens the skill. */
  readonly instructions: string
  readonly metadata: JsonObject
  /** Base address of its HTTP tools, unless the skill's config has another one. */
  readonly apiBase?: string
  /** Names of required environment variables. */
  readonly requiredEnv: readonly string[]
  readonly tools: readonly ToolDefinition[]
  /** JSON Schema of the skill's config. */
  readonly configSchema?: JsonObject
  /** Text of the skill's SETUP.md. */
  readonly setup?: string
}

/** A tool that is off, and why. */
export interface DisabledTool {
  readonly id: string
  readonly reason: string
}

/**
 * Tells which tools of skills are off, by skill id; skills whose tools are all on may be left out.
 *
 * @param configs Their configs by skill id, where somebody has read them already.
 */
export type DisabledTools = (
  skills: readonly LoadedSkill[],
  configs?: ReadonlyMap<string, JsonObject>,
) => Promise<ReadonlyMap<string, readonly DisabledTool[]>>

/** What tells how the tools of skills are: see `AgentTools`. */
export interface SkillTools {
  readonly disabledTools: DisabledTools
  /** Host of the base address that a skill's tools go to (A17): null for none, undefined when none of them needs one. */
  readonly baseHost: (skill: LoadedSkill) => Promise<string | null | undefined>
  /** The end of the programs of skills that run now; undefined when none does. */
  readonly programs: () => Promise<unknown> | undefined
}

/** All skills at one moment. A run uses one snapshot from its start to its end. */
export interface SkillSnapshot {
  readonly skills: ReadonlyMap<string, LoadedSkill>
  /** Unusable folders with the reason. */
  readonly broken: readonly BrokenSkill[]
}

/** Skills of the configured store. */
export interface StoreRegistry {
  readonly skills: readonly RegistryEntry[]
  readonly storeBase: string | null
  readonly registryUrl: string | null
  /** Invalid entries: their index in the registry, and the reason. */
  readonly invalid?: readonly { readonly index: number; readonly error: string }[]
}

/** Selects a skill of the store, optionally with a certain content. */
export interface StoreSkillChoice {
  readonly slug: string
  /** `hash` of a preview. Other content is not installed. */
  readonly hash?: string | undefined
}

/** The installed skills, for runs and for operators. */
export interface SkillLibrary {
  /** Returns one consistent view of all skills. The next call includes changes of the folder. */
  snapshot(): Promise<SkillSnapshot>
  /** Returns the config of a skill with its secrets. For tools only; never shown. */
  config(skillId: string): Promise<JsonObject>

  /** Lists installed skills by id, including unusable ones with the reason. */
  list(): Promise<(Skill | BrokenSkill)[]>
  /** Returns a skill. @throws {RuntimeError} `not_found` */
  get(skillId: string): Promise<SkillDetails | BrokenSkill>
  /**
   * Deletes a skill's folder and its entry, even if the folder no longer exists. Its config stays.
   *
   * @throws {RuntimeError} `not_found`
   */
  remove(skillId: string): Promise<void>

  /**
   * Downloads a skill from the store and installs it.
   *
   * @throws {RuntimeError} `not_found` (no such slug, or no store is configured), `license_required` with
   * `details.status` 401 or 403, `invalid_skill`, `conflict` (also if the store's content differs from `hash`),
   * `store_unavailable`.
   */
  install(wanted: string | StoreSkillChoice, signal?: AbortSignal): Promise<InstalledSkill>
  /**
   * Downloads a skill from the store and compares it with the installed one, for a review before `install`. Writes
   * nothing.
   *
   * @throws {RuntimeError} as `install` does.
   */
  preview(slug: string, signal?: AbortSignal): Promise<StoreSkillPreview>
  /**
   * Copies the skills of the seed folder. Existing skills do not change. If one cannot be copied, the others still
   * are.
   *
   * @returns ids of the new skills.
   * @throws {RuntimeError} `invalid_skill`, `conflict`: the reason for the first skill that could not be copied.
   */
  installSystem(signal?: AbortSignal): Promise<string[]>
  /**
   * Installs a zip archive. The stream is read to its end or canceled.
   *
   * @throws {RuntimeError} `invalid_skill`, `payload_too_large`, `conflict`.
   */
  uploadZip(content: AsyncIterable<Uint8Array>, signal?: AbortSignal): Promise<InstalledSkill>
  /**
   * Compares an upload with the installed skill that it would replace, for a review before `uploadZip` or
   * `uploadMarkdown`. Writes nothing.
   *
   * @param content a zip archive, or the text of a SKILL.md.
   * @throws {RuntimeError} as those methods do.
   */
  previewUpload(content: AsyncIterable<Uint8Array>, signal?: AbortSignal): Promise<SkillPreview>
  /** Installs a SKILL.md. @throws {RuntimeError} `invalid_skill`, `conflict`. */
  uploadMarkdown(text: string, signal?: AbortSignal): Promise<InstalledSkill>
  /**
   * Lists the skills of the store. Empty without a store.
   *
   * @throws {RuntimeError} `store_unavailable`, `license_required`.
   */
  registry(signal?: AbortSignal): Promise<StoreRegistry>

  /** Returns the JSON Schema of a skill's config. @throws {RuntimeError} `not_found`, also if the skill has none. */
  configSchema(skillId: string): Promise<JsonObject>
  /** Returns a skill's config with secrets as booleans: whether they are set. @throws {RuntimeError} `not_found` */
  configView(skillId: string): Promise<JsonObject>
  /**
   * Replaces the config. Absent secrets keep their value.
   *
   * @throws {RuntimeError} `not_found`, `validation_error` with the problems found by config.schema.json.
   */
  saveConfig(skillId: string, config: JsonObject): Promise<void>
  /** Returns the text of a skill's SETUP.md. @throws {RuntimeError} `not_found`, also if the skill has none. */
  setup(skillId: string): Promise<string>
}
