import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmod, copyFile, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { inject } from 'postject'
import { bundleDevice } from './bundle-device.ts'
import { workspaceFolder } from './workspace-packages.ts'

// Node 24 makes the blob, postject puts it into a copy of Node. From Node 25.5 on, `node --build-sea` does both.

/** What Node looks for in itself at its start (https://nodejs.org/api/single-executable-applications.html). */
const fuse = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2'

const { values } = parseArgs({
  options: {
    out: { type: 'string', default: join(workspaceFolder, 'dist') },
    /** Writes only the file that needs Node: a server in a clone offers it to devices. */
    script: { type: 'boolean', default: false },
  },
})
const folder = resolve(values.out)
if (values.script) {
  const script = join(folder, 'homeward-device.cjs')
  await bundleDevice(`${script}.new`)
  await rename(`${script}.new`, script)
  process.exit()
}
const isMac = process.platform === 'darwin'
const system = isMac ? 'macos' : process.platform === 'win32' ? 'windows' : process.platform
const ending = process.platform === 'win32' ? '.exe' : ''
const output = join(folder, `homeward-device-${system}-${process.arch}${ending}`)
const work = `${output}.build`

await mkdir(work, { recursive: true })
try {
  const main = join(work, 'main.cjs')
  const blob = join(work, 'main.blob')
  const config = join(work, 'sea.json')
  await bundleDevice(main)
  await writeFile(config, JSON.stringify({ main, output: blob, disableExperimentalSEAWarning: true }))
  execFileSync(process.execPath, ['--experimental-sea-config', config], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  await rm(output, { force: true })
  await copyFile(process.execPath, output)
  if (isMac) execFileSync('codesign', ['--remove-signature', output])
  await inject(output, 'NODE_SEA_BLOB', await readFile(blob), {
    sentinelFuse: fuse,
    ...(isMac && { machoSegmentName: 'NODE_SEA' }),
  })
  if (isMac) execFileSync('codesign', ['--sign', '-', output])
  await chmod(output, 0o755)
  const sum = createHash('sha256')
    .update(await readFile(output))
    .digest('hex')
  await writeFile(`${output}.sha256`, `${sum}  ${basename(output)}\n`)
  console.log(`wrote ${output} and its checksum`)
} finally {
  await rm(work, { recursive: true, force: true })
}
