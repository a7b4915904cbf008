import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'
import { promisify } from 'node:util'
import { installedBesides } from '../program-build.ts'
import { apiPages, type ApiPage } from '../reference/api-pages.ts'
import { publishedPackages, workspaceFolder, type WorkspacePackage } from '../workspace-packages.ts'
import { readBillOfMaterials } from './bill-of-materials.ts'
import { originOf, readPublishing, withAbsoluteLinks, type Publishing } from './publishing.ts'

/** A package as npm would publish it. */
export interface PackedPackage extends WorkspacePackage {
  readonly version: string
  /** The archive, absolute. */
  readonly tarball: string
  /** What the archive holds, from the package's folder. */
  readonly files: readonly string[]
}

/** What `npm pack --json` says of one package. */
interface PackReport {
  readonly version: string
  readonly filename: string
  readonly files: readonly { readonly path: string }[]
}

/** File of an archive that lists what the package is made of, in the format CycloneDX. */
const billOfMaterials = 'sbom.cdx.json'

const run = promisify(execFile)
const maxBuffer = 64 * 1024 * 1024

/**
 * Packs built packages of the workspace into a folder: all published ones, unless others are named. Each gets the
 * origin that the root `package.json` states, a README whose links lead into the repository, the reference of its API in the
 * folder `api`, and a bill of materials.
 *
 * @throws {Error} when one of them is not built, or npm cannot pack it.
 */
export async function packAll(folder: string, packages = publishedPackages()): Promise<PackedPackage[]> {
  const publishing = readPublishing()
  const packed: PackedPackage[] = []
  const reference = apiPages(packages)
  for (const one of packages) packed.push(await packOne(one, folder, publishing, reference))
  return packed
}

async function packOne(
  one: WorkspacePackage,
  folder: string,
  publishing: Publishing,
  reference: readonly ApiPage[],
): Promise<PackedPackage> {
  const missing = [...one.entries.map(({ output }) => output), ...one.programs].find(
    (path) => !existsSync(join(one.folder, path)),
  )
  if (missing !== undefined)
    throw new Error(`Packing ${one.name} failed: ${missing} is missing. Run "npm run build" first.`)
  const staged = join(folder, 'staged', one.name)
  const listed = await npmPack(one.folder, ['--dry-run'])
  for (const { path } of listed.files) {
    await mkdir(dirname(join(staged, path)), { recursive: true })
    await cp(join(one.folder, path), join(staged, path))
  }
  await writeManifest(one, staged, publishing)
  const readme = await readFile(join(staged, 'README.md'), 'utf8')
  await writeFile(join(staged, 'README.md'), withAbsoluteLinks(readme, publishing, directoryOf(one)))
  await writeReference(one, staged, reference)
  await writeFile(join(staged, billOfMaterials), await readBillOfMaterials(one))
  const made = await npmPack(staged, ['--pack-destination', folder])
  await rm(staged, { recursive: true })
  const files = made.files.map(({ path }) => path)
  return { ...one, version: made.version, tarball: join(folder, made.filename), files }
}

async function npmPack(cwd: string, more: readonly string[]): Promise<PackReport> {
  const { stdout } = await run('npm', ['pack', '--json', '--ignore-scripts', ...more], { cwd, maxBuffer })
  const [made] = Object.values(JSON.parse(stdout) as Record<string, PackReport>)
  if (!made) throw new Error(`Packing ${cwd} failed: npm named no archive.`)
  return made
}

const directoryOf = ({ folder }: WorkspacePackage) => relative(workspaceFolder, folder).replaceAll(sep, '/')

/** Writes the pages of one package. Names of other packages lose their links, because their pages are elsewhere. */
async function writeReference(
  { entries }: WorkspacePackage,
  staged: string,
  reference: readonly ApiPage[],
): Promise<void> {
  const own = reference.filter(({ specifier }) => entries.some((entry) => entry.specifier === specifier))
  if (own.length > 0) await mkdir(join(staged, 'api'))
  for (const { file, text } of own) {
    const kept = text.replaceAll(
      /\[(`[^`]+`)\]\(([\w-]+\.md)#\w+\)/g,
      (link: string, name: string, to: string) => (own.some((page) => page.file === to) ? link : name),
    )
    await writeFile(join(staged, 'api', file), kept)
  }
}

async function writeManifest(one: WorkspacePackage, staged: string, publishing: Publishing): Promise<void> {
  const {
    devDependencies: _tools,
    scripts: _scripts,
    ...manifest
  } = JSON.parse(await readFile(join(one.folder, 'package.json'), 'utf8')) as {
    files: string[]
    dependencies?: Record<string, string>
  } & Record<string, unknown>
  const published = {
    ...manifest,
    ...originOf(publishing, directoryOf(one)),
    files: [...manifest.files, 'api', billOfMaterials],
    ...(one.programs.length > 0 && dependenciesOfProgram(manifest.dependencies)),
  }
  await writeFile(join(staged, 'package.json'), `${JSON.stringify(published, null, 2)}\n`)
}

/** What is not part of the build is for Postgres only: an installation without it can leave it out. */
function dependenciesOfProgram(declared: Readonly<Record<string, string>> = {}): object {
  const besides = Object.entries(declared).filter(([name]) => installedBesides.some((each) => each === name))
  return { dependencies: {}, optionalDependencies: Object.fromEntries(besides) }
}
