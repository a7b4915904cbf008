import { lstat, mkdir, readdir, readFile } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import type { SkillFile } from '../archive/unpack-zip.ts'
import { SkillStoreError } from '../skill-store-error.ts'
import { hashFiles, hashOfHashes } from './hash-files.ts'
import { type LockedSkill, type LockedSkills, readLockfile, writeLockfile } from './lockfile.ts'
import { refusedSkillName } from './skill-name.ts'
import { removeFolder, repairSkillsFolder, swapFolder } from './swap-folder.ts'

/** Where skills are installed. */
export interface SkillInstallerOptions {
  /** Folder with one folder a skill; made when it is missing. */
  readonly folder: string
  /** Milliseconds since 1970. @default Date.now */
  readonly now?: () => number
  /** @default crypto.randomUUID */
  readonly createId?: () => string
}

/** What to install. */
export interface SkillInstallation {
  /** Name of the skill's folder: what {@link refusedSkillName} does not refuse. */
  readonly name: string
  readonly files: readonly SkillFile[]
  readonly version?: string | undefined
  /** Where it came from. */
  readonly url?: string | undefined
}

/** Writes skills to a folder. Calls on one installer run one after another; one process may use a folder at a time. */
export interface SkillInstaller {
  /**
   * Installs a skill, or puts it in the place of the one with its name. The old version stays until the new one is
   * whole. Nothing of the skill is run.
   *
   * @throws {SkillStoreError} `INVALID_OPTION` for a name that is none, `INSTALL_FAILED` when the disk refuses.
   */
  install(skill: SkillInstallation): Promise<LockedSkill>
  /**
   * Removes a skill and forgets it, also one of which only the folder or only the entry in the lockfile is left.
   *
   * @returns false when there is neither.
   * @throws {SkillStoreError} `INSTALL_FAILED` when the disk refuses, or the lockfile is damaged; the skill stays.
   */
  remove(name: string): Promise<boolean>
  /** What was installed, by name. */
  installed(): Promise<LockedSkills>
  /** Files of an installed skill, as they are now. @throws {SkillStoreError} `NOT_FOUND` */
  read(name: string): Promise<SkillFile[]>
  /** Paths of an installed skill whose content is other than what was installed, gone ones included. */
  changedFiles(name: string): Promise<string[]>
}

/**
 * Creates an installer over a folder of skills.
 *
 * @example
 * const installer = createSkillInstaller({ folder: '/var/lib/agents/skills' })
 * const { entry, files } = await store.fetch('weather')
 * await installer.install({ name: entry.slug, files, version: entry.version, url: entry.url })
 */
export function createSkillInstaller(options: SkillInstallerOptions): SkillInstaller {
  const { folder, now = Date.now, createId = () => crypto.randomUUID() } = options
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

  return {
    install: (skill) => {
      checkName(skill.name)
      return change(async () => {
        const files = hashFiles(skill.files)
        const locked: LockedSkill = {
          ...(skill.version !== undefined && { version: skill.version }),
          ...(skill.url !== undefined && { url: withoutQuery(skill.url) }),
          installed_at: new Date(now()).toISOString(),
          hash: hashOfHashes(files),
          files,
        }
        const before = await readLockfile(folder)
        await tryDisk(`Installing ${skill.name}`, () =>
          swapFolder(folder, skill.name, skill.files, createId()),
        )
        await writeLockfile(folder, { ...before, [skill.name]: locked })
        return locked
      })
    },
    remove: (name) => {
      checkName(name)
      return change(async () => {
        // read first: with a damaged one nothing is removed
        const before = await readLockfile(folder)
        const wasThere = await tryDisk(`Removing ${name}`, () => removeFolder(folder, name, createId()))
        // also without a folder: a kill may have come between the two
        const wasKnown = Object.hasOwn(before, name)
        const { [name]: _removed, ...rest } = before
        if (wasKnown) await writeLockfile(folder, rest)
        return wasThere || wasKnown
      })
    },
    installed: () => readLockfile(folder),
    read: (name) => {
      checkName(name)
      return readFiles(join(folder, name))
    },
    async changedFiles(name) {
      checkName(name)
      const expected = (await readLockfile(folder))[name]?.files ?? {}
      const found = hashFiles(await readFiles(join(folder, name)))
      const paths = [...new Set([...Object.keys(expected), ...Object.keys(found)])].toSorted()
      return paths.filter((path) => expected[path] !== found[path])
    },
  }
}

function checkName(name: string): void {
  const reason = refusedSkillName(name)
  if (reason === undefined) return
  throw new SkillStoreError('INVALID_OPTION', `Looking for the folder of the skill failed: ${reason}.`)
}

/** A query may hold a license. */
function withoutQuery(url: string): string {
  const parsed = URL.parse(url)
  return parsed ? parsed.origin + parsed.pathname : url
}

async function readFiles(folder: string): Promise<SkillFile[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch((cause: unknown) => {
    throw new SkillStoreError('NOT_FOUND', 'Reading the skill failed: it is not installed.', { cause })
  })
  const files = entries.filter((entry) => entry.isFile())
  return await Promise.all(files.map(({ parentPath, name }) => readOne(folder, join(parentPath, name))))
}

async function readOne(folder: string, path: string): Promise<SkillFile> {
  const [bytes, { mode }] = await Promise.all([readFile(path), lstat(path)])
  const executable = (mode & 0o100) !== 0
  return { path: relative(folder, path).split(sep).join('/'), bytes, ...(executable && { executable }) }
}

/** For work that fails before anything has changed, or not at all. */
async function tryDisk<T>(attempt: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (cause) {
    const { code = 'unknown error' } = cause as NodeJS.ErrnoException
    throw new SkillStoreError(
      'INSTALL_FAILED',
      `${attempt} failed: the disk refused it (${code}). Nothing changed.`,
      {
        cause,
      },
    )
  }
}
