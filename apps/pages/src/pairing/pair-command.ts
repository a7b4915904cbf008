/**
 * The line that pairs a device and installs its agent, in a shell of Linux or macOS. The server makes the script.
 *
 * @param token enrollment token. Undefined for a device that shows a code.
 */
export function pairCommand(cloudUrl: string, token?: string): string {
  const more = token === undefined ? '' : ` --token ${token}`
  return `curl -fsSL ${cloudUrl}/install.sh | sh -s -- --root "$HOME/Documents"${more}`
}

/** The same for PowerShell, where the agent runs until its window is closed. */
export function pairPowerShellCommand(cloudUrl: string, token?: string): string {
  const more = token === undefined ? '' : ` --token ${token}`
  return [
    `npx --yes homeward device pair --cloud ${cloudUrl}${more}`,
    'npx --yes homeward device run --root "$HOME\\Documents"',
  ].join('\n')
}
