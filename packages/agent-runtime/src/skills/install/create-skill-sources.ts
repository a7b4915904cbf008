import { stat, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type {
  InstalledSkill,
  Settings,
  SkillPreview,
  StoreSkillPreview,
} from '@homeward/contract/agent-platform'
import {
  hashSkill,
  isZip,
  type SkillFile,
  type SkillInstaller,
  toSkillFiles,
  createSkillInstaller,
  diffSkills,
  skillCapabilities,
  skillWarnings,
} from '@homeward/skill-store-client'
import { gatherBytes } from '@homeward/kit'
import type { FetchOption } from '@homeward/kit/http'
import { createKeyedMutex } from '../../concurrency/keyed-mutex.ts'
import { RuntimeError } from '../../ports/runtime-error.ts'
import { checkOfferedTools } from '../definitions/check-tool-files.ts'
import { createConfiguredStore } from './configured-store.ts'
import { parseSkill, readTextsOf } from '../read-skill.ts'
import type { ConfigFollow } from '../config/configure-skill.ts'
import type { LoadedSkill, SkillSnapshot, StoreRegistry, StoreSkillChoice } from '../skill-library.ts'
import { assertSkillId } from '../skill-id.ts'
import { toRuntimeError } from './store-failure.ts'
import { conflictOf } from '../take-snapshot.ts'
import { toCapabilities } from '../read-capabilities.ts'

const maxUploadBytes = 50 * 1024 * 1024

/** What {@link createSkillSources} is built from. */
interface SkillSourcesOptions {
  readonly folder: string
  readonly installer: SkillInstaller
  readonly snapshot: () => Promise<SkillSnapshot>
  readonly settings: { read(): Promise<Settings> }
  readonly reservedToolIds: ReadonlySet<string>
  readonly fetch?: FetchOption | undefined
  readonly follow: ConfigFollow
}

/** The ways a skill comes into a data home. Each is checked before anything is written; nothing of it is run. */
interface SkillSources {
  fromStore(wanted: StoreSkillChoice, signal?: AbortSignal): Promise<InstalledSkill>
  /** What {@link fromStore} would do. */
  preview(slug: string, signal?: AbortSignal): Promise<StoreSkillPreview>
  fromZip(content: AsyncIterable<Uint8Array>, signal?: AbortSignal): Promise<InstalledSkill>
  /** What {@link fromZip} would do, or {@link fromMarkdown} with what is no archive. */
  previewUpload(content: AsyncIterable<Uint8Array>, signal?: AbortSignal): Promise<SkillPreview>
  fromMarkdown(text: string): Promise<InstalledSkill>
  fromSeeds(seedFolder: string, signal?: AbortSignal): Promise<CopiedSeeds>
  registry(signal?: AbortSignal): Promise<StoreRegistry>
  /** @returns false when there is neither its folder nor an entry for it. */
  remove(skillId: string): Promise<boolean>
}

interface Candidate {
  /** Folder it goes to; made from its name when it has none. */
  readonly id?: string
  readonly files: readonly SkillFile[]
  readonly version?: string | undefined
  readonly url?: string | undefined
}

/** Creates the ways in. Failures are {@link RuntimeError}s. */
export function createSkillSources(options: SkillSourcesOptions): SkillSources {
  const { installer } = options
  const inTurn = createKeyedMutex()
  const store = createConfiguredStore(options)

  /** @throws {RuntimeError} when it breaks a rule of its format, or cannot stand beside what is installed. */
  async function checkBesideOthers(candidate: Candidate): Promise<LoadedSkill> {
    const skill = await check(candidate, options.folder)
    const { skills } = await options.snapshot()
    const conflict = conflictOf(skill, ownersOf(skills, options.reservedToolIds))
    if (conflict === undefined) return skill
    throw new RuntimeError('conflict', `Installing ${skill.id} failed: ${conflict}`)
  }

  async function compare(candidate: Candidate, offered: readonly string[] = []): Promise<SkillPreview> {
    const { files } = candidate
    const skill = await checkBesideOthers(candidate)
    const { skills } = await options.snapshot()
    const here = [...skills.values()].filter(({ id }) => id !== skill.id)
    const others = [...offered, ...here.flatMap(({ id, name }) => [id, name])]
    const installed = await readInstalled(installer, options.folder, skill.id)
    return comparePreview({ skill, files, version: skill.version ?? candidate.version, others }, installed)
  }

  /** In turn: of two that may not stand beside each other, the second finds the first installed. */
  const install = (candidate: Candidate): Promise<InstalledSkill> =>
    inTurn(options.folder, async () => {
      const { files, url } = candidate
      const skill = await checkBesideOthers(candidate)
      const version = skill.version ?? candidate.version
      const before = (await options.snapshot()).skills.get(skill.id)
      const locked = (await installer.installed())[skill.id]
      const after = { skill, url, hash: hashSkill(files) }
      if (!before) await options.follow.installation(after)
      const { hash } = await installer.install({ name: skill.id, files, version, url })
      if (before)
        await options.follow.update({ skill: before, url: locked?.url, hash: locked?.hash ?? '' }, after)
      return { id: skill.id, ...(version !== undefined && { version }), hash }
    })

  return {
    fromStore: ({ slug, hash }, signal) =>
      typed(async () => {
        const { entry, files } = await store.fetch(slug, signal)
        if (hash !== undefined && hashSkill(files) !== hash) {
          throw new RuntimeError(
            'conflict',
            `Installing ${slug} failed: the skill changed in the store after you previewed it. Preview it again, then install.`,
          )
        }
        return await install({ id: entry.slug, files, version: entry.version, url: entry.url })
      }),
    preview: (slug, signal) =>
      typed(async () => {
        const { entry, files, others } = await store.fetch(slug, signal)
        return { slug, ...(await compare({ id: slug, files, version: entry.version }, others)) }
      }),
    previewUpload: (content, signal) =>
      typed(async () => await compare({ files: await toSkillFiles(await collect(content, signal)) })),
    fromZip: (content, signal) =>
      typed(async () => {
        const bytes = await collect(content, signal)
        if (!isZip(bytes))
          throw new RuntimeError(
            'invalid_skill',
            'Uploading the skill failed: the file is not a ZIP archive. Upload a .zip file.',
          )
        return await install({ files: await toSkillFiles(bytes) })
      }),
    fromMarkdown: (text) =>
      typed(() => install({ files: [{ path: 'SKILL.md', bytes: new TextEncoder().encode(text) }] })),
    fromSeeds: (seedFolder, signal) => typed(() => copySeeds(seedFolder, options.folder, install, signal)),
    registry: (signal) => typed(() => store.registry(signal)),
    remove: (skillId) =>
      typed(async () => {
        const { url, hash = '' } = (await installer.installed())[skillId] ?? {}
        const skill = (await options.snapshot()).skills.get(skillId)
        await options.follow.removal(skillId, { apiBase: skill?.apiBase, url, hash })
        return await installer.remove(skillId)
      }),
  }
}

/** What lies in the folder of a skill, however it came there; undefined when there is none. */
async function readInstalled(
  installer: SkillInstaller,
  folder: string,
  id: string,
): Promise<readonly SkillFile[] | undefined> {
  return (await stat(join(folder, id)).catch(() => undefined)) ? await installer.read(id) : undefined
}

async function check({ id, files }: Candidate, folder: string): Promise<LoadedSkill> {
  const parsed = parseSkill(id ?? '', '', readTextsOf(files))
  const skillId = id ?? toSkillId(parsed.name)
  assertSkillId(skillId)
  await checkOfferedTools(parsed.tools, new Set(files.map(({ path }) => path)))
  return { ...parsed, id: skillId, folder: join(folder, skillId) }
}

/** `PDF Tools` → `pdf-tools`, `Café` → `cafe`. */
function toSkillId(name: string): string {
  const id = name
    .normalize('NFKD')
    .replaceAll(/\p{M}+/gu, '') // marks stand behind their letter by now
    .toLowerCase()
    .replaceAll(/[^a-z0-9._-]+/g, '-')
    .replaceAll(/^[^a-z0-9]+|[^a-z0-9]+$/g, '')
    .slice(0, 64)
    .replace(/\.+$/, '') // a cut may leave a dot behind
  if (id !== '') return id
  throw new RuntimeError(
    'invalid_skill',
    'Installing the skill failed: its name must contain a letter or a digit. Change "name" in SKILL.md.',
  )
}

function ownersOf(skills: SkillSnapshot['skills'], reserved: ReadonlySet<string>): Map<string, string> {
  const owners = new Map<string, string>([...reserved].map((id) => [id, '']))
  for (const skill of skills.values()) for (const { id } of skill.tools) owners.set(id, skill.id)
  return owners
}

async function collect(
  content: AsyncIterable<Uint8Array>,
  signal: AbortSignal | undefined,
): Promise<Uint8Array> {
  const gathered = gatherBytes(maxUploadBytes)
  for await (const chunk of content) {
    signal?.throwIfAborted()
    if (!gathered.add(chunk)) {
      throw new RuntimeError(
        'payload_too_large',
        `Uploading the skill failed: the archive must have at most ${maxUploadBytes} bytes. Upload a smaller one.`,
      )
    }
  }
  return gathered.bytes()
}

async function typed<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw toRuntimeError(error)
  }
}

/** What came of copying seeds. */
interface CopiedSeeds {
  /** Ids of those that were copied. */
  readonly ids: readonly string[]
  /** Why the first one of those that could not be was not. */
  readonly failure?: unknown
}

/**
 * Copies the skills of a folder that are not there yet. One that cannot be copied does not hold up the others.
 *
 * @param folder Where skills are installed.
 */
async function copySeeds(
  seedFolder: string,
  folder: string,
  install: (seed: { readonly id: string; readonly files: readonly SkillFile[] }) => Promise<unknown>,
  signal: AbortSignal | undefined,
): Promise<CopiedSeeds> {
  const ids: string[] = []
  const failures: unknown[] = []
  const seeds = createSkillInstaller({ folder: seedFolder })
  for (const entry of await readdir(seedFolder, { withFileTypes: true })) {
    signal?.throwIfAborted()
    if (!entry.isDirectory() || entry.name.startsWith('.')) continue
    try {
      // before the look at what is there: the lockfile is, and no skill
      assertSkillId(entry.name)
      if (await stat(join(folder, entry.name)).catch(() => undefined)) continue
      await install({ id: entry.name, files: await seeds.read(entry.name) })
      ids.push(entry.name)
    } catch (error) {
      failures.push(error)
    }
  }
  return { ids: ids.toSorted(), ...(failures.length > 0 && { failure: failures[0] }) }
}

/** A skill that was delivered and is not installed yet. */
interface OfferedSkill {
  readonly skill: LoadedSkill
  readonly files: readonly SkillFile[]
  readonly version: string | undefined
  /** Names of the others that it stands beside: in its store, on this machine. */
  readonly others: readonly string[]
}

/** Says what the offered skill asks for, and what changes against the files that are installed. */
function comparePreview(
  { skill, files, version, others }: OfferedSkill,
  installed: readonly SkillFile[] | undefined,
): SkillPreview {
  const { id, name, description } = skill
  const { added, removed, changedFiles } = diffWith(installed ?? [], files)
  return {
    id,
    name,
    description,
    ...(version !== undefined && { version }),
    hash: hashSkill(files),
    ...(installed && { installed: { ...versionOf(id, installed), hash: hashSkill(installed) } }),
    capabilities: toCapabilities(skillCapabilities(files)),
    added: toCapabilities(added),
    removed: toCapabilities(removed),
    changed_files: [...changedFiles],
    warnings: skillWarnings(files, { own: [id, name], others }),
  }
}

/** An installed skill whose YAML is broken asks for nothing: all of the new one counts as added. */
function diffWith(installed: readonly SkillFile[], files: readonly SkillFile[]) {
  try {
    return diffSkills(installed, files)
  } catch {
    return diffSkills([], files)
  }
}

function versionOf(id: string, files: readonly SkillFile[]): { version?: string } {
  try {
    const { version } = parseSkill(id, '', readTextsOf(files))
    return version === undefined ? {} : { version }
  } catch {
    return {}
  }
}
