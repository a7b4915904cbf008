import type { Sandbox } from './sandbox.ts'

/**
 * The sandbox of macOS. The last rule that matches counts. There is no private /tmp: programs write in the workspace
 * only.
 */
export const sandboxExec: Sandbox = {
  kind: 'sandbox-exec',
  wrap({ command, workspace, readable, hidden, network }) {
    const rules = [
      '(version 1)',
      '(allow default)',
      '(deny file-write*)',
      '(allow file-write* (literal "/dev/null") (literal "/dev/stdout") (literal "/dev/stderr") (literal "/dev/tty"))',
      ...hidden.map((path) => `(deny file-read* file-write* (subpath ${quote(path)}))`),
      ...readable.map((path) => `(allow file-read* (subpath ${quote(path)}))`),
      `(allow file-read* file-write* (subpath ${quote(workspace)}))`,
      ...(network ? [] : ['(deny network*)']),
      '(deny process-info* (target others))',
      '(deny signal (target others))',
      '(allow signal (target same-sandbox))',
    ]
    return { command: ['sandbox-exec', '-p', rules.join('\n'), ...command], wrappers: 0 }
  },
}

function quote(path: string): string {
  return `"${path.replace(/[\\"]/g, '\\$&')}"`
}
