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

/** A skill that was loaded from its folder and can be used. */
export interface LoadedSkill {
  /** Name of its folder. */
  readonly id: string
  readonly name: string
  readonly description: string
  readonly version?: string
  /** Absolute path. */
  readonly folder: string
  /** Text that the model reads when it opens the skill. */
  readonly instructions: string
  readonly metadata: JsonObject
  /** Where its HTTP tools go unless its config says otherwise (A17). */
  readonly apiBase?: string
  /** Names of environment variables that it needs. */
  readonly requiredEnv: readonly string[]
  readonly tools: readonly ToolDefinition[]
  /** JSON Schema of its config. */
  readonly configSchema?: JsonObject
  /** Text of its SETUP.md. */
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

/** All skills at one moment. A run sees one snapshot from its start to its end (A15). */
export interface SkillSnapshot {
  readonly skills: ReadonlyMap<string, LoadedSkill>
  /** Folders that cannot be used, and why. */
  readonly broken: readonly BrokenSkill[]
}

/** Skills of the configured store. */
export interface StoreRegistry {
  readonly skills: readonly RegistryEntry[]
  readonly storeBase: string | null
  readonly registryUrl: string | null
  /** Entries that cannot be used: their index in the registry, and the reason. */
  readonly invalid?: readonly { readonly index: number; readonly error: string }[]
}

/** Which skill of the store is meant, and if given which content of it. */
export interface StoreSkillChoice {
  readonly slug: string
  /** `hash` of a preview; other content is not installed. */
  readonly hash?: string | undefined
}

/** The installed skills: what runs see of them, and what operators do with them (A15). */
export interface SkillLibrary {
  /** One consistent view; the next call sees a changed folder. */
  snapshot(): Promise<SkillSnapshot>
  /** Config of a skill with its secrets. For tools only; never shown. */
  config(skillId: string): Promise<JsonObject>

  /** Installed skills by id, including those that cannot be used, with the reason. */
  list(): Promise<(Skill | BrokenSkill)[]>
  /** @throws {RuntimeError} `not_found` */
  get(skillId: string): Promise<SkillDetails | BrokenSkill>
  /** Deletes its folder and forgets it, also one whose folder is gone; its config stays. @throws {RuntimeError} `not_found` */
  remove(skillId: string): Promise<void>

  /**
   * Fetches a skill from the store and installs it.
   *
   * @throws {RuntimeError} `not_found` (no such slug, or no store is configured), `license_required` with
   *   `details.status` 401 or 403, `invalid_skill`, `conflict` (also: the store has other content than `hash` says),
   *   `store_unavailable`.
   */
  install(wanted: string | StoreSkillChoice, signal?: AbortSignal): Promise<InstalledSkill>
  /**
   * Fetches a skill from the store and compares it with the installed one: what a person looks at before `install`.
   * Nothing is written.
   *
   * @throws {RuntimeError} as `install` does.
   */
  preview(slug: string, signal?: AbortSignal): Promise<StoreSkillPreview>
  /**
   * Copies the skills of the seed folder. Existing skills do not change. If one cannot be copied, the others are still
   * copied.
   *
   * @returns ids of the new ones.
   * @throws {RuntimeError} `invalid_skill`, `conflict`: why the first of those that could not be copied was not.
   */
  installSystem(signal?: AbortSignal): Promise<string[]>
  /**
   * Installs a zip archive. The stream is read to its end or given up.
   *
   * @throws {RuntimeError} `invalid_skill`, `payload_too_large`, `conflict`.
   */
  uploadZip(content: AsyncIterable<Uint8Array>, signal?: AbortSignal): Promise<InstalledSkill>
  /**
   * Compares an upload with the installed skill that it would replace: what a person looks at before `uploadZip` or
   * `uploadMarkdown`. Nothing is written.
   *
   * @param content A zip archive, or the text of a SKILL.md.
   * @throws {RuntimeError} as those do.
   */
  previewUpload(content: AsyncIterable<Uint8Array>, signal?: AbortSignal): Promise<SkillPreview>
  /** Installs a SKILL.md. @throws {RuntimeError} `invalid_skill`, `conflict`. */
  uploadMarkdown(text: string, signal?: AbortSignal): Promise<InstalledSkill>
  /** Skills of the store. Empty without a store. @throws {RuntimeError} `store_unavailable`, `license_required`. */
  registry(signal?: AbortSignal): Promise<StoreRegistry>

  /** JSON Schema of its config. @throws {RuntimeError} `not_found` also when it has none. */
  configSchema(skillId: string): Promise<JsonObject>
  /** Config with secrets as booleans: whether they are set. @throws {RuntimeError} `not_found` */
  configView(skillId: string): Promise<JsonObject>
  /**
   * Replaces the config. Absent secrets keep their value.
   *
   * @throws {RuntimeError} `not_found`, `validation_error` with what config.schema.json refuses.
   */
  saveConfig(skillId: string, config: JsonObject): Promise<void>
  /** Text of its SETUP.md. @throws {RuntimeError} `not_found` also when it has none. */
  setup(skillId: string): Promise<string>
}
