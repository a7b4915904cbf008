/** What a command for a device holds. */
export interface DeviceCommand {
  /** As the browser reaches it; the device may need another name for the same. */
  readonly cloudUrl: string
  readonly apiKey: string
  readonly deviceId: string
}

/** The command that starts a device agent in a shell of Linux or macOS. */
export function deviceCommand({ cloudUrl, apiKey, deviceId }: DeviceCommand): string {
  // A folder of its own: the device of the trial may run on the same machine.
  return [
    `CLOUD_URL=${cloudUrl}`,
    `DEVICE_API_KEY=${apiKey}`,
    'DEVICE_ROOTS="$HOME/Documents"',
    `DEVICE_STATE="$HOME/.homeward/devices/${safe(deviceId)}"`,
    'npm run device',
  ].join(' \\\n  ')
}

/** The same for PowerShell. */
export function devicePowerShellCommand({ cloudUrl, apiKey, deviceId }: DeviceCommand): string {
  return [
    `$env:CLOUD_URL = '${cloudUrl}'`,
    `$env:DEVICE_API_KEY = '${apiKey}'`,
    '$env:DEVICE_ROOTS = "$HOME\\Documents"',
    `$env:DEVICE_STATE = "$HOME\\.homeward\\devices\\${safe(deviceId)}"`,
    'npm run device',
  ].join('\n')
}

/** Ids are opaque: one that a shell would read as something else must not get into a command. */
function safe(id: string): string {
  return id.replaceAll(/[^\w-]/g, '_')
}
