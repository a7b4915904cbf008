import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { promisify } from 'node:util'
import { workspaceFolder, type WorkspacePackage } from '../workspace-packages.ts'
import { lockedClosure } from './locked-closure.ts'
import { pageBuilders } from './write-licenses.ts'

/** What of a CycloneDX document is read and changed. */
interface Bill {
  readonly metadata: object
  readonly components: readonly { readonly 'bom-ref': string }[]
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn?: readonly string[] }[]
}

/**
 * Lists what a package needs at run time, or, for a program, what its build is made of, as CycloneDX JSON. npm makes the
 * list; it counts packages that also develop something as development, so what belongs in comes from the lock file.
 */
export async function readBillOfMaterials({ name, folder, hasPages }: WorkspacePackage): Promise<string> {
  const pages = 'apps/pages'
  const directory = relative(workspaceFolder, folder).replaceAll(sep, '/')
  const folders = [
    ...(await lockedClosure(directory, () => true)),
    ...(hasPages ? await lockedClosure(pages, (each) => !pageBuilders.has(each)) : []),
  ]
  const { packages } = JSON.parse(await readFile(join(workspaceFolder, 'package-lock.json'), 'utf8')) as {
    packages: Readonly<Record<string, { readonly version?: string }>>
  }
  const needed = new Set(
    folders.map((path) => `${path.slice(path.lastIndexOf('node_modules/') + 13)}@${packages[path]?.version}`),
  )
  const workspaces = [`--workspace=${name}`, ...(hasPages ? ['--workspace=@homeward/pages'] : [])]
  const args = ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only', ...workspaces]
  const { stdout } = await promisify(execFile)('npm', args, {
    cwd: workspaceFolder,
    maxBuffer: 64 * 1024 * 1024,
  })
  const bill = JSON.parse(stdout) as Bill
  const component = await ownComponent(name, folder)
  return JSON.stringify({
    ...bill,
    metadata: { ...bill.metadata, component },
    components: bill.components.filter((each) => needed.has(each['bom-ref'])),
    dependencies: bill.dependencies
      .filter(({ ref }) => needed.has(ref))
      .map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: dependsOn.filter((each) => needed.has(each)) })),
  })
}

/** npm names the workspace's folder there. */
async function ownComponent(name: string, folder: string): Promise<object> {
  const { version } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as { version: string }
  const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`
  return { type: 'library', 'bom-ref': `${name}@${version}`, name, version, purl }
}
