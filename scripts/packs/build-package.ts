import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { bundleDevice } from '../bundle-device.ts'
import { runStep } from '../run-step.ts'
import type { WorkspacePackage } from '../workspace-packages.ts'
import { buildRecord } from './build-record.ts'
import { buildDocs, buildPages } from './build-pages.ts'
import { describeDeclarations } from './describe-declarations.ts'
import { writeLicenses } from './write-licenses.ts'

/**
 * Builds one package into its `dist`, unless the last build is there and nothing has changed since. A program also gets the
 * licenses of its build, and the application its pages.
 *
 * @returns the exit code of what failed, or 0.
 */
export async function buildPackage(one: WorkspacePackage): Promise<number> {
  const record = buildRecord(one)
  if (record.isCurrent()) return 0
  const code = await makeBuild(one)
  if (code === 0) record.write()
  return code
}

async function makeBuild({ name, folder, programs, hasPages }: WorkspacePackage): Promise<number> {
  const code = await runStep('tsup', [], folder)
  // every other package takes its schemas from there
  if (code === 0 && name === '@homeward/contract') describeDeclarations(folder)
  if (code === 0) dropDecisionCodes(folder)
  if (code !== 0 || programs.length === 0) return code
  if (hasPages) {
    await buildPages(folder)
    buildDocs(folder)
    // `homeward device install` copies it to a place that npm does not empty
    await bundleDevice(join(folder, 'dist/homeward-device.cjs'))
  }
  await writeLicenses(folder, hasPages)
  return 0
}

/** Numbers of decisions, such as `(A19)` or `(C1, C14)`, are for readers of the source: editors show comments of the types. */
function dropDecisionCodes(folder: string): void {
  for (const file of globSync('dist/**/*.d.ts', { cwd: folder })) {
    const path = join(folder, file)
    const types = readFileSync(path, 'utf8')
    writeFileSync(path, withoutDecisionCodes(types))
  }
}

/** @example withoutDecisionCodes('Who may call the local API (A19).') // 'Who may call the local API.' */
const withoutDecisionCodes = (text: string): string =>
  text.replaceAll(/ \([ACD]\d{1,2}(?:, [ACD]\d{1,2})*\)/g, '')
