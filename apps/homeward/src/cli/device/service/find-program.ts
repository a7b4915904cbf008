import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { isSea } from 'node:sea'
import { bundleName, findBundle } from '../../../program/find-bundle.ts'
import { CliError } from '../../cli-error.ts'
import type { AgentProgram } from './service-step.ts'

/**
 * Finds how the service starts the agent: the one executable, or the one file of an installed package, which are copied to a place
 * that npm does not empty, or the sources.
 *
 * @throws {CliError} if the program cannot stay where it is.
 */
export function findProgram(execPath = process.execPath, isExecutable = isSea()): AgentProgram {
  if (isExecutable) {
    const name = process.platform === 'win32' ? 'homeward-device.exe' : 'homeward-device'
    return { copy: { from: execPath, name }, runner: [], path: execPath }
  }
  const own = process.argv[1]?.endsWith(bundleName) ? process.argv[1] : undefined
  const main = own === undefined ? join(import.meta.dirname, '../executable.ts') : ''
  if (own === undefined && existsSync(main)) {
    return { copy: undefined, runner: [execPath, '--conditions=@homeward/source'], path: main }
  }
  const bundle = own ?? findBundle(import.meta.dirname)
  if (bundle !== undefined) {
    return { copy: { from: bundle, name: bundleName }, runner: [execPath], path: bundle }
  }
  throw new CliError(
    'Installing the service failed: this installation of homeward does not contain the single-file device agent. ' +
      'Use "homeward-device.cjs" from the downloads of your server, or the executable.',
  )
}
