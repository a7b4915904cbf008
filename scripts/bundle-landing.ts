// Bundles the device agent and the device cloud's server of this landing for tests/upgrades/old-beside-new.test.ts:
//   npm run bundle-landing -- 2026-11-29
// Run it on the commit that landed, and commit the new folder. A recorded landing is never changed.
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { brotliCompressSync } from 'node:zlib'
import { build, type Plugin } from 'esbuild'
import { workspaceFolder } from './workspace-packages.ts'

const [name = ''] = process.argv.slice(2)
if (!/^\d{4}-\d\d-\d\d(-\w+)?$/.test(name))
  throw new Error('Bundling a landing failed: its name must be a date, such as 2026-11-29.')

const app = join(workspaceFolder, 'apps/homeward/src')
const folder = join(workspaceFolder, 'tests/upgrades/programs', name)

const server = `
import { startCloudServer } from './server/start-cloud-server.ts'
const [home = ''] = process.argv.slice(2)
const server = await startCloudServer({ cloudHost: '127.0.0.1', cloudPort: 0, home })
console.log(server.url)
`

/** Most of the bytes, and nothing that a device asks for. */
const unusedNames =
  /^(?:@modelcontextprotocol\/|jose$|openid-client$|oauth4webapi$|node-fetch-native|pg$|@homeward\/contract\/(?:examples|openapi)$)/
const unused: Plugin = {
  name: 'unused',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: unusedNames }, ({ path }) => ({ path, namespace: 'unused' }))
    onLoad({ filter: /.*/, namespace: 'unused' }, () => ({ contents: 'module.exports = {}' }))
  },
}

async function bundle(program: 'device' | 'server', contents: string): Promise<void> {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: app, loader: 'ts' },
    bundle: true,
    write: false,
    platform: 'node',
    format: 'esm',
    target: 'node22',
    conditions: ['@homeward/source'],
    external: ['systeminformation', 'unpdf', 'officeparser', 'postal-mime'],
    plugins: [unused],
    banner: { js: "import{createRequire}from'node:module';const require=createRequire(import.meta.url);" },
    minify: true,
    legalComments: 'none',
    logLevel: 'error',
  })
  const packed = brotliCompressSync(outputFiles[0]!.contents)
  await writeFile(join(folder, `${program}.mjs.br`), packed)
  console.log(`${program}: ${packed.length} bytes`)
}

await mkdir(folder, { recursive: true })
await bundle('device', `import './device/main.ts'`)
await bundle('server', server)
