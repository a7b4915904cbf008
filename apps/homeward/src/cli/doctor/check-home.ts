import { constants } from 'node:fs'
import { access, readFile, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { error, type Checked, type Finding } from './finding.ts'

/** Files of JSON in the data home. They may hold keys. */
const jsonFiles = ['config.json', 'mcp.json', 'prices.json'] as const

/** Whether the data home can be used, by this user alone, and its files can be read. */
export async function checkHome(home: string): Promise<Checked> {
  const findings = await findingsOf(home)
  return { name: 'Data home', about: home, findings }
}

async function findingsOf(home: string): Promise<Finding[]> {
  const found = await stat(home).catch((cause: NodeJS.ErrnoException) => cause)
  if (found instanceof Error) {
    if (found.code === 'ENOENT') return await whereItWouldBe(home)
    return [
      error(`The data home ${home} cannot be read (${found.code}).`, 'Correct HOMEWARD_HOME, or its rights.'),
    ]
  }
  if (!found.isDirectory()) return [error(`The data home ${home} is not a folder.`, 'Correct HOMEWARD_HOME.')]
  const findings: Finding[] = []
  if (!(await mayUse(home))) {
    const fix = `Start homeward as the owner of the folder, or change the owner: chown -R "$(id -un)" ${home}`
    findings.push(error(`This user may not write to the data home ${home}.`, fix))
  }
  if (isOpen(found.mode)) {
    findings.push(
      error(`Other users of this machine can read the data home ${home}.`, `Run: chmod 700 ${home}`),
    )
  }
  for (const name of jsonFiles) findings.push(...(await checkFile(join(home, name))))
  return findings
}

/** It is made by the first start, if the folder above allows. */
async function whereItWouldBe(home: string): Promise<Finding[]> {
  for (let folder = dirname(home); ; folder = dirname(folder)) {
    const found = await stat(folder).catch(() => undefined)
    if (found === undefined && folder !== dirname(folder)) continue
    if (found?.isDirectory() && (await mayUse(folder))) return []
    return [
      error(`The data home ${home} cannot be created in ${folder}.`, 'Correct HOMEWARD_HOME, or the rights.'),
    ]
  }
}

async function checkFile(path: string): Promise<Finding[]> {
  const found = await stat(path).catch(() => undefined)
  if (found === undefined) return []
  const findings: Finding[] = []
  if (isOpen(found.mode)) {
    findings.push(error(`Other users of this machine can read ${path}.`, `Run: chmod 600 ${path}`))
  }
  try {
    JSON.parse(await readFile(path, 'utf8'))
  } catch {
    findings.push(error(`${path} cannot be read as JSON.`, 'Correct the file, or restore it from a backup.'))
  }
  return findings
}

const isOpen = (mode: number) => process.platform !== 'win32' && (mode & 0o077) !== 0

const mayUse = (folder: string) =>
  access(folder, constants.R_OK | constants.W_OK | constants.X_OK).then(
    () => true,
    () => false,
  )
