import { Tabs } from '../components/layout/tabs.tsx'
import { CodeBlock } from '../components/text/code-block.tsx'

/** A command for both kinds of shells. */
interface DeviceCommand {
  readonly sh: string
  readonly powerShell: string
}

/**
 * Pairs a device and installs its agent. The server makes the script; in PowerShell the agent runs until its window is
 * closed.
 *
 * @param token enrollment token. Undefined for a device that shows a code.
 */
export function pairCommand(cloudUrl: string, token?: string): DeviceCommand {
  const more = token === undefined ? '' : ` --token ${token}`
  return {
    sh: `curl -fsSL ${cloudUrl}/install.sh | sh -s -- --root "$HOME/Documents"${more}`,
    powerShell: [
      `npx --yes homeward device pair --cloud ${cloudUrl}${more}`,
      'npx --yes homeward device run --root "$HOME\\Documents"',
    ].join('\n'),
  }
}

/** What the command for a device with a key holds. */
interface KeyedDevice {
  /** As the browser reaches it; the device may need another name for the same. */
  readonly cloudUrl: string
  readonly apiKey: string
  readonly deviceId: string
}

/** Runs the agent of a device that has a key, with state of its own: the server's device may be on the same machine. */
export function runCommand({ cloudUrl, apiKey, deviceId }: KeyedDevice): DeviceCommand {
  const state = deviceId.replaceAll(/[^\w-]/g, '_') // ids are opaque: a shell must not read one as something else
  const run = 'npx --yes homeward device run'
  return {
    sh: [
      `CLOUD_URL=${cloudUrl}`,
      `DEVICE_API_KEY=${apiKey}`,
      `DEVICE_STATE="$HOME/.homeward/devices/${state}"`,
      `${run} --root "$HOME/Documents"`,
    ].join(' \\\n  '),
    powerShell: [
      `$env:CLOUD_URL = '${cloudUrl}'`,
      `$env:DEVICE_API_KEY = '${apiKey}'`,
      `$env:DEVICE_STATE = "$HOME\\.homeward\\devices\\${state}"`,
      `${run} --root "$HOME\\Documents"`,
    ].join('\n'),
  }
}

/** Shows a command for the shell that a person chooses. */
export function CommandTabs({ command: { sh, powerShell } }: { readonly command: DeviceCommand }) {
  const shells = [
    ['sh', 'Linux, macOS', sh],
    ['powershell', 'Windows PowerShell', powerShell],
  ] as const
  return (
    <Tabs
      label="Shell"
      tabs={shells.map(([id, label, code]) => ({
        id,
        label,
        content: <CodeBlock code={code} label="command" />,
      }))}
    />
  )
}
