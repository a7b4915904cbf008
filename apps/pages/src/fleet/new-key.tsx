import { useDeviceUrl } from '../api/server-facts.ts'
import { Button } from '../components/buttons/button.tsx'
import { CodeBlock } from '../components/text/code-block.tsx'
import { CopyButton } from '../components/buttons/copy-button.tsx'
import { DialogActions } from '../components/dialogs/dialog-actions.tsx'
import { Notice } from '../components/states/notice.tsx'
import { Tabs } from '../components/layout/tabs.tsx'

interface NewKeyProps {
  readonly deviceId: string
  readonly name: string
  readonly apiKey: string
  readonly close: () => void
}

/** A key that was just made, and the command that starts a device with it. */
export function NewKey({ deviceId, name, apiKey, close }: NewKeyProps) {
  const command = { cloudUrl: useDeviceUrl(), apiKey, deviceId }
  return (
    <>
      <Notice tone="warn">
        You will not be able to see this key again. Anyone who has the key can act as this device.
      </Notice>
      <section className="stack" data-gap="small" aria-label="API key">
        <h3 className="foreign">API key of {name}</h3>
        <CodeBlock code={apiKey} label="API key" isWrapped canCopy={false} />
        <div>
          {/* Else the form that was here would leave the focus to the button that closes: one Enter too many, and it is gone. */}
          <CopyButton text={apiKey} label="Copy key" autoFocus />
        </div>
      </section>
      <section className="stack" data-gap="small" aria-label="Start of its agent">
        <h3>Start its agent</h3>
        <p className="muted">
          On the device, in a folder with this project. <code>CLOUD_URL</code> is the address of this server
          for devices. <code>DEVICE_ROOTS</code> are the folders that may be searched.
        </p>
        <Tabs
          label="Shell"
          tabs={[
            {
              id: 'sh',
              label: 'Linux, macOS',
              content: <CodeBlock code={deviceCommand(command)} label="command" />,
            },
            {
              id: 'powershell',
              label: 'Windows PowerShell',
              content: <CodeBlock code={devicePowerShellCommand(command)} label="command" />,
            },
          ]}
        />
      </section>
      <DialogActions>
        <Button variant="primary" onPress={close}>
          Done
        </Button>
      </DialogActions>
    </>
  )
}

/** What a command for a device holds. */
interface DeviceCommand {
  /** As the browser reaches it; the device may need another name for the same. */
  readonly cloudUrl: string
  readonly apiKey: string
  readonly deviceId: string
}

/** The command that starts a device agent in a shell of Linux or macOS. */
function deviceCommand({ cloudUrl, apiKey, deviceId }: DeviceCommand): string {
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
function devicePowerShellCommand({ cloudUrl, apiKey, deviceId }: DeviceCommand): string {
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
