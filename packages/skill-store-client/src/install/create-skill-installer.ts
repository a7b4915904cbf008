import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { SkillFile } from '../archive/unpack-zip.ts'
import { SkillStoreError } from '../skill-store-error.ts'
import { hashFiles, hashOfHashes } from './hash-files.ts'
import { changeLocked, type LockedSkill, type LockedSkills, readLockfile } from './lockfile.ts'
import { readSkillFiles } from './read-skill-files.ts'
import { removeFolder, repairSkillsFolder, swapFolder, tryDelete } from './swap-folder.ts'
import { refusedEntryName } from '../archive/entry-name.ts'
import { validateSkillName } from './skill-name.ts'

/** Options of {@link createSkillInstaller}. */
export interface SkillInstallerOptions {
  /** Folder with one subfolder per skill. Created if missing. */
  readonly folder: string
  /**
   * Returns a promise to wait for before files of a replaced or removed version are deleted, such as the end of
   * programs that use them. Return undefined to delete them at once. `install` and `remove` do not wait for it.
   *
   * @default files are deleted at once
   */
  readonly inUse?: (name: string) => Promise<unknown> | undefined
  /** Returns the milliseconds since 1970. @default Date.now */
  readonly now?: () => number
  /** Creates the id of an installation. @default crypto.randomUUID */
  readonly createId?: () => string
}

/** A skill to install. */
export interface SkillInstallation {
  /** Name of the skill's folder. `validateSkillName` must accept it. */
  readonly name: string
  readonly files: readonly SkillFile[]
  readonly version?: string | undefined
  /** Source address of the skill. */
  readonly url?: string | undefined
}

/**
 * Installs skills in a folder. Calls on one installer run one after the other. Only one process at a time may use a
 * folder.
 */
export interface SkillInstaller {
  /**
   * Installs a skill, or replaces the one with the same name. The old version stays until the new one is complete. No
   * part of the skill is run.
   *
   * @throws {SkillStoreError} `INVALID_OPTION` for an invalid name or invalid file paths; `INSTALL_FAILED` if the
   * disk fails.
   */
  install(skill: SkillInstallation): Promise<LockedSkill>
  /**
   * Removes a skill and its lockfile entry, also if only one of them exists.
   *
   * @returns false if neither exists.
   * @throws {SkillStoreError} `INSTALL_FAILED` if the disk fails or the lockfile is damaged; the skill stays.
   */
  remove(name: string): Promise<boolean>
  /** Returns the installed skills by name. */
  installed(): Promise<LockedSkills>
  /** Reads the current files of an installed skill. @throws {SkillStoreError} `NOT_FOUND` */
  read(name: string): Promise<SkillFile[]>
  /** Returns the paths of an installed skill's files that were changed or deleted since the installation. */
  changedFiles(name: string): Promise<string[]>
}

/**
 * Creates an installer for a folder of skills.
 *
 * @throws {SkillStoreError} `INVALID_OPTION` if `folder` is missing.
 * @example
 * const installer = createSkillInstaller({ folder: '/var/lib/agents/skills' })
 * const { entry, files } = await store.fetch('weather')
 * await installer.install({ name: entry.slug, files, version: entry.version, url: entry.url })
 */
export function createSkillInstaller(options: SkillInstallerOptions): SkillInstaller {
  checkFolder(options)
  const { folder, inUse, now = Date.now, createId = () => crypto.randomUUID() } = options
  let last: Promise<unknown> | undefined

  /** One change after another; the first one repairs what a crash left. */
  function change<T>(work: () => Promise<T>): Promise<T> {
    const before = (last ?? prepare()).catch(() => {})
    const result = before.then(work)
    last = result.catch(() => {})
    return result
  }

  async function prepare(): Promise<void> {
    await mkdir(folder, { recursive: true })
    await repairSkillsFolder(folder)
  }

  async function deleteUnused(name: string, path: string | undefined): Promise<void> {
    if (path === undefined) return
    const use = inUse?.(name)
    if (use === undefined) return await tryDelete(path)
    void use.catch(() => {}).then(() => tryDelete(path))
  }

  return {
    install: async (skill) => {
      checkInstallation(skill)
      return change(async () => {
        const files = hashFiles(skill.files)
        const locked: LockedSkill = {
          ...(skill.version !== undefined && { version: skill.version }),
          ...(skill.url !== undefined && { url: withoutQuery(skill.url) }),
          installed_at: new Date(now()).toISOString(),
          hash: hashOfHashes(files),
          files,
        }
        const { name, files: content } = skill
        const replaced = await tryDisk(`Installing ${name}`, () =>
          changeLocked(folder, { name, entry: locked }, (record) =>
            swapFolder(folder, name, content, createId(), record),
          ),
        )
        await deleteUnused(name, replaced)
        return locked
      })
    },
    remove: async (name) => {
      checkSkillName(name)
      return change(async () => {
        const { isKnown, removed } = await tryDisk(`Removing ${name}`, async () => {
          // read first: with a damaged one nothing is removed
          if (!Object.hasOwn(await readLockfile(folder), name))
            return { isKnown: false, removed: await removeFolder(folder, name, createId()) }
          // also without a folder: the skill is forgotten then
          const change = (record: () => Promise<void>) => removeFolder(folder, name, createId(), record)
          return { isKnown: true, removed: await changeLocked(folder, { name }, change) }
        })
        await deleteUnused(name, removed)
        return isKnown || removed !== undefined
      })
    },
    installed: () => readLockfile(folder),
    read: async (name) => {
      checkSkillName(name)
      return readSkillFiles(join(folder, name))
    },
    async changedFiles(name) {
      checkSkillName(name)
      const expected = (await readLockfile(folder))[name]?.files ?? {}
      const found = hashFiles(await readSkillFiles(join(folder, name)))
      const paths = [...new Set([...Object.keys(expected), ...Object.keys(found)])].toSorted()
      return paths.filter((path) => expected[path] !== found[path])
    },
  }
}

function checkFolder(options: Partial<SkillInstallerOptions> | null | undefined): void {
  const folder: unknown = options?.folder
  if (typeof folder === 'string' && folder !== '') return
  throw new SkillStoreError(
    'INVALID_OPTION',
    'Opening the folder of skills failed: "folder" must be the path of a folder.',
  )
}

/** A query may hold a license. */
function withoutQuery(url: string): string {
  const parsed = URL.parse(url)
  return parsed ? parsed.origin + parsed.pathname : url
}

/** For work that fails before anything has changed, or not at all. */
async function tryDisk<T>(attempt: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (cause) {
    if (SkillStoreError.is(cause)) throw cause
    throw new SkillStoreError('INSTALL_FAILED', `${attempt} failed: ${reasonOf(cause)}. Nothing changed.`, {
      cause,
    })
  }
}

/** What the disk said, or else the first line of what was thrown, without paths and addresses. */
function reasonOf(cause: unknown): string {
  const { code = '', message = 'without a message' } = Object(cause) as Partial<NodeJS.ErrnoException>
  if (/^E[A-Z0-9]+$/.test(code)) return `the disk reported ${code}`
  const [line = ''] = message.slice(0, 300).split('\n', 1)
  // in quotes they may hold spaces
  const text = line.replaceAll(/(["'`]).*[\\/].*\1|\S*[\\/]\S*/g, '…')
  return `an unexpected error (${text})`
}

/**
 * Checks what is about to be written: files may come from elsewhere than an archive, and what the lockfile cannot hold
 * would damage it for every other skill.
 *
 * @throws {SkillStoreError} `INVALID_OPTION` that names what is wrong.
 */
function checkInstallation(skill: Partial<SkillInstallation> | null | undefined): void {
  checkSkillName(skill?.name)
  const { name = '', files = [], ...texts }: Partial<SkillInstallation> = skill ?? {}
  const attempt = `Installing ${name}`
  const isList: boolean = Array.isArray(skill?.files)
  if (!isList) refuse(attempt, '"files" must be a list of { path, bytes }')
  for (const field of ['version', 'url'] as const) {
    const text: unknown = texts[field]
    if (text !== undefined && typeof text !== 'string') refuse(attempt, `"${field}" must be a string`)
  }
  for (const [place, file] of files.entries()) checkFile(attempt, place, file)
}

function checkFile(attempt: string, place: number, file: Partial<SkillFile> | undefined): void {
  const { path, bytes } = { ...file }
  const at = `files[${place}]`
  if (typeof path !== 'string') refuse(attempt, `"${at}.path" must be a string`)
  const reason = refusedEntryName(path)
  if (reason !== undefined) refuse(attempt, `"${at}.path" is invalid: ${reason}`)
  if (!(bytes instanceof Uint8Array)) refuse(attempt, `"${at}.bytes" must be a Uint8Array`)
}

/** @throws {SkillStoreError} `INVALID_OPTION` for what is no name of a skill's folder. */
function checkSkillName(name: string | undefined): void {
  const reason = validateSkillName(name ?? '')
  if (reason !== undefined) refuse('Finding the folder of the skill', reason)
}

function refuse(attempt: string, reason: string): never {
  throw new SkillStoreError('INVALID_OPTION', `${attempt} failed: ${reason}.`)
}
