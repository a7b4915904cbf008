import type { SandboxState } from './exec/sandbox.ts'

/**
 * Returns the sandbox of programs of skills on this machine, or the reason why there is none. Tries it, which takes some
 * milliseconds.
 *
 * @param path Search path for programs. @default `PATH`
 */
export async function describeSandbox(path: string = process.env['PATH'] ?? ''): Promise<SandboxState> {
  const { detectSandbox } = await import('./exec/detect-sandbox.ts')
  const found = await detectSandbox(path)
  return found.sandbox === undefined ? { kind: 'none', reason: found.reason } : { kind: found.sandbox.kind }
}
