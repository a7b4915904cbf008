import { cp, mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Templates by name. Each is a folder in `templates`. */
export const templates = {
  'device-cloud': {
    summary: 'a device cloud in Hono, a device agent, and a page that searches',
    next: 'Then run "npm run device" in a second terminal: this computer becomes the first device.',
  },
  agent: {
    summary: 'an agent with tools and approvals, and a chat page with useChat',
    next: 'The built-in test model answers until you set MODEL and the key of a provider.',
  },
  home: {
    summary: 'the whole server for a household: pages, devices, agents, backups',
    next: 'README.md of the project shows what comes next: more devices, a phone, Telegram.',
  },
} as const

/** Files that have another name in a template: npm leaves the first out of archives, and a compiler would use the second here. */
const storedNames = [
  ['gitignore', '.gitignore'],
  ['tsconfig.project.json', 'tsconfig.json'],
] as const

/** Name of a template. */
export type TemplateName = keyof typeof templates

/** What {@link createProject} creates, and where. */
interface ProjectOptions {
  /** Folder of the project, absolute: new or empty. */
  readonly folder: string
  readonly template: TemplateName
  /** Folder with archives of the packages (`npm run release -- --pack`), for packages that are not in a registry. */
  readonly packs?: string | undefined
}

interface Manifest {
  name: string
  dependencies: Record<string, string>
  overrides?: Record<string, string>
}

/**
 * Creates a project: copies the template, and names the package after the folder.
 *
 * @throws {Error} if the folder holds files, or if an archive is missing
 */
export async function createProject({ folder, template, packs }: ProjectOptions): Promise<void> {
  await mkdir(folder, { recursive: true })
  if ((await readdir(folder)).length > 0) {
    throw new Error(`Creating the project failed: ${folder} is not empty. Use a new folder.`)
  }
  await cp(fileURLToPath(new URL(`../templates/${template}`, import.meta.url)), folder, { recursive: true })
  const files = await readdir(folder)
  for (const [stored, name] of storedNames)
    if (files.includes(stored)) await rename(join(folder, stored), join(folder, name))
  const path = join(folder, 'package.json')
  const manifest = JSON.parse(await readFile(path, 'utf8')) as Manifest
  manifest.name = toPackageName(basename(folder))
  if (packs !== undefined) await useArchives(manifest, packs)
  await writeFile(path, `${JSON.stringify(manifest, null, 2)}\n`)
}

/** @example toPackageName('My Home') // 'my-home' */
const toPackageName = (folder: string): string =>
  folder
    .toLowerCase()
    .replaceAll(/[^a-z0-9-]+/g, '-')
    .replaceAll(/^-+|-+$/g, '') || 'app'

/** Takes the packages of this project, and what they need of each other, from a folder. */
async function useArchives(manifest: Manifest, packs: string): Promise<void> {
  const files = (await readdir(packs)).filter((file) => file.endsWith('.tgz'))
  const archives = Object.fromEntries(
    files.map((file) => [
      file.replace(/-\d+\.\d+\.\d+.*\.tgz$/, '').replace(/^homeward-(?!conformance$)/, '@homeward/'),
      `file:${join(packs, file)}`,
    ]),
  )
  for (const name of Object.keys(manifest.dependencies)) {
    if (!/^(?:@homeward\/|homeward$)/.test(name)) continue
    const archive = archives[name]
    if (archive === undefined) {
      throw new Error(
        `Creating the project failed: ${packs} has no archive of ${name}. Build the archives again.`,
      )
    }
    manifest.dependencies[name] = archive
  }
  manifest.overrides = archives
}
