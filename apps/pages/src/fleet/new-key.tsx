import { useDeviceUrl } from '../api/server-facts.ts'
import { Button } from '../components/buttons/button.tsx'
import { CodeBlock } from '../components/text/code-block.tsx'
import { CopyButton } from '../components/buttons/copy-button.tsx'
import { DialogActions } from '../components/dialogs/dialog-actions.tsx'
import { Notice } from '../components/states/notice.tsx'
import { CommandTabs, runCommand } from '../devices/device-commands.tsx'

interface NewKeyProps {
  readonly deviceId: string
  readonly name: string
  readonly apiKey: string
  readonly close: () => void
}

/** A key that was just made, and the command that starts a device with it. */
export function NewKey({ deviceId, name, apiKey, close }: NewKeyProps) {
  const command = runCommand({ cloudUrl: useDeviceUrl(), apiKey, deviceId })
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
      <section className="stack" data-gap="small" aria-label="Start the device agent">
        <h3>Start its agent</h3>
        <p className="muted">
          On the device, with Node 22.18 or newer. <code>CLOUD_URL</code> is the address of this server for
          devices. <code>--root</code> is a folder that can be searched; repeat it for more folders.
        </p>
        <CommandTabs command={command} />
      </section>
      <DialogActions>
        <Button variant="primary" onPress={close}>
          Done
        </Button>
      </DialogActions>
    </>
  )
}
