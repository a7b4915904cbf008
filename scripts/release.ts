// Publishes every package whose version the registry does not have. Without `--publish` it is a rehearsal: everything is
// built, packed, looked at, installed and compiled as a stranger would, and npm says what it would publish.
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs, promisify } from 'node:util'
import { buildPackage } from './packs/build-package.ts'
import { packAll } from './packs/pack-all.ts'
import { problemsOfPack } from './packs/problems-of-pack.ts'
import { readPublishing } from './packs/publishing.ts'
import { tryAsStranger } from './packs/try-as-stranger.ts'
import { runStep } from './run-step.ts'
import { publishedPackages } from './workspace-packages.ts'

const { values } = parseArgs({
  options: {
    publish: { type: 'boolean', default: false },
    /** Folder for the archives: they are built and packed, and nothing else happens. */
    pack: { type: 'string' },
    /** Name of the one package to pack. */
    only: { type: 'string' },
  },
})
const folder = await mkdtemp(join(tmpdir(), 'homeward-release-'))
try {
  process.exitCode =
    values.pack === undefined ? await release(values.publish) : await pack(resolve(values.pack), values.only)
} finally {
  await rm(folder, { recursive: true, force: true })
}

/** Builds and packs without a rehearsal, for an image. */
async function pack(target: string, only: string | undefined): Promise<number> {
  const packages = publishedPackages().filter(({ name }) => only === undefined || name === only)
  for (const one of packages) {
    const code = await buildPackage(one)
    if (code !== 0) return code
  }
  await mkdir(target, { recursive: true })
  for (const { tarball } of await packAll(target, packages)) console.log(tarball)
  return 0
}

async function release(isPublished: boolean): Promise<number> {
  const built = await runStep('node', ['scripts/build.ts'])
  if (built !== 0) return built
  const packed = await packAll(folder)
  const problems = (await Promise.all(packed.map(problemsOfPack))).flat()
  if (isPublished) problems.push(...problemsOfOrigin())
  for (const problem of problems) console.error(problem)
  if (problems.length > 0) return 1
  const tried = await tryAsStranger(packed, join(folder, 'stranger'))
  if (tried !== 0) return tried
  for (const { name, version, tarball } of packed) {
    if (isPublished && (await isThere(name, version))) {
      console.log(`${name} ${version} is published already`)
      continue
    }
    // npm adds the statement where a package was built (provenance) only on a build service that it can ask.
    const how = isPublished ? ['--provenance'] : ['--dry-run', '--loglevel=warn']
    const code = await runStep('npm', ['publish', tarball, '--access', 'public', ...how])
    if (code !== 0) return code
  }
  return 0
}

/** Whether an earlier release, or one that broke off, has published it: npm would refuse it a second time. */
async function isThere(name: string, version: string): Promise<boolean> {
  try {
    const { stdout } = await promisify(execFile)('npm', ['view', `${name}@${version}`, 'version', '--json'])
    return stdout.trim() !== '' // older versions of npm say nothing where they know the package and not its version
  } catch (error) {
    // npm also fails where the registry cannot be asked: only this code means that there is no such package
    if (error instanceof Error && 'stdout' in error && String(error.stdout).includes('"E404"')) return false
    throw new Error(`Asking the registry for ${name}@${version} failed.`, { cause: error })
  }
}

/** Provenance names the repository that a package was built from, so the setting has to state it. */
function problemsOfOrigin(): string[] {
  if (readPublishing().repository !== '') return []
  return [
    'Publishing needs the repository: set "publishing.repository" in the package.json of the workspace.',
  ]
}
