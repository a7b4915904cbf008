import type { SandboxState } from './exec/sandbox.ts'

/**
 * Returns the sandbox for programs of skills on this machine, or the reason why it is unavailable. Runs a short test,
 * which takes some milliseconds.
 *
 * @param path search path for programs. @default `PATH`
 */
export async function describeSandbox(path: string = process.env['PATH'] ?? ''): Promise<SandboxState> {
  const { detectSandbox } = await import('./exec/detect-sandbox.ts')
  const found = await detectSandbox(path)
  return found.sandbox === undefined ? { kind: 'none', reason: found.reason } : { kind: found.sandbox.kind }
}
