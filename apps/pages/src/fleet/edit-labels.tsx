import type { Device } from '@homeward/contract/device-cloud'
import { useQueryClient } from '@tanstack/react-query'
import { Tags } from 'lucide-react'
import { useState } from 'react'
import { cloud } from '../api/cloud.ts'
import { refresh } from '../api/refresh.ts'
import { Button } from '../components/buttons/button.tsx'
import { Dialog } from '../components/dialogs/dialog.tsx'
import { DialogActions } from '../components/dialogs/dialog-actions.tsx'
import { SubmitForm } from '../components/fields/submit-form.tsx'
import { TokenField } from '../components/fields/token-field.tsx'
import { describeError, ErrorState } from '../components/states/error-state.tsx'
import { Notice } from '../components/states/notice.tsx'
import { showToast } from '../components/states/toasts.tsx'

interface EditLabelsProps {
  /** How many devices are changed. */
  readonly count: number
  /** Reads the devices that are changed, once the change is confirmed. */
  readonly readDevices: () => Promise<readonly Pick<Device, 'id' | 'name'>[]>
  /** Labels that devices have. */
  readonly known: readonly string[]
}

/** Adds labels to many devices, or removes some from them. */
export function EditLabels(props: EditLabelsProps) {
  return (
    <Dialog
      title={`Edit the labels of ${devicesOf(props.count)}`}
      isDismissable={false}
      trigger={<Button icon={<Tags aria-hidden />}>Edit labels of {props.count.toLocaleString()}</Button>}
    >
      {(close) => <LabelsForm {...props} close={close} />}
    </Dialog>
  )
}

const devicesOf = (count: number) => (count === 1 ? '1 device' : `${count.toLocaleString()} devices`)
const toLowerCase = (labels: readonly string[]) => labels.map((label) => label.toLowerCase())

function LabelsForm({ count, readDevices, known, close }: EditLabelsProps & { readonly close: () => void }) {
  const queries = useQueryClient()
  const [change, setChange] = useState<LabelChange>({ add: [], remove: [] })
  const [progress, setProgress] = useState<BulkProgress>()
  const [isPending, setIsPending] = useState(false)
  const [error, setError] = useState<Error>()
  const invalid = change.add.find((label) => !isLabel(label))

  async function apply(): Promise<void> {
    if (invalid !== undefined || change.add.length + change.remove.length === 0) return
    setIsPending(true)
    setError(undefined)
    try {
      const result = await changeEach(await readDevices(), (id) => changeOne(id, change), setProgress)
      await refresh(queries, { queryKey: ['listDevices'] })
      void refresh(queries, { queryKey: ['device facets'] })
      if (result.failed.length === 0) {
        showToast({ title: `Labels of ${devicesOf(result.done)} saved` })
        close()
      }
    } catch (cause) {
      setError(cause instanceof Error ? cause : new Error(String(cause)))
    } finally {
      setIsPending(false)
    }
  }

  return (
    <SubmitForm onSubmit={() => void apply()} error={error}>
      <TokenField
        label="Labels to add"
        description="Lowercase letters, digits and - _ . / : such as site:berlin."
        values={change.add}
        errorMessage={invalid === undefined ? undefined : `“${invalid}” is not a valid label.`}
        suggestions={known}
        onChange={(add) => setChange({ ...change, add: toLowerCase(add) })}
      />
      <TokenField
        label="Labels to remove"
        values={change.remove}
        suggestions={known}
        onChange={(remove) => setChange({ ...change, remove: toLowerCase(remove) })}
      />
      {progress && (
        <p role="status" className="muted numeric">
          {`${progress.done.toLocaleString()} of ${devicesOf(count)} changed`}
        </p>
      )}
      {progress && progress.failed.length > 0 && <Failures failed={progress.failed} />}
      {error && <ErrorState error={error} isInline />}
      <DialogActions>
        <Button onPress={close}>Cancel</Button>
        <Button type="submit" variant="primary" isPending={isPending}>
          Save
        </Button>
      </DialogActions>
    </SubmitForm>
  )
}

/** Reads a device just before it is changed: what somebody else changed meanwhile stays. */
async function changeOne(id: string, change: LabelChange): Promise<void> {
  const { device } = await cloud.getDevice({ params: { id } })
  const labels = changedLabels(device.labels, change)
  if (labels) await cloud.updateDevice({ params: { id }, body: { labels: [...labels] } })
}

/** More names than this nobody reads. */
const maxFailures = 5

function Failures({ failed }: Pick<BulkProgress, 'failed'>) {
  const shown = failed.slice(0, maxFailures)
  return (
    <Notice tone="bad">
      {`${devicesOf(failed.length)} could not be changed:`}
      <ul>
        {shown.map(({ name, error }, index) => (
          <li key={`${index} ${name}`}>{`${name}: ${describeError(error).text ?? error.message}`}</li>
        ))}
      </ul>
    </Notice>
  )
}

/** Labels to add to and to remove from devices. */
interface LabelChange {
  readonly add: readonly string[]
  readonly remove: readonly string[]
}

/** Labels of a device after a change; undefined where they stay as they are. */
export function changedLabels(
  labels: readonly string[],
  { add, remove }: LabelChange,
): readonly string[] | undefined {
  const next = [...new Set([...labels, ...add])].filter((label) => !remove.includes(label))
  const isSame = next.length === labels.length && next.every((label) => labels.includes(label))
  return isSame ? undefined : next
}

/** Whether the server takes a text as a label. */
const isLabel = (text: string): boolean => /^[a-z0-9_./:-]{1,64}$/.test(text)

/** How a change of many devices goes. */
interface BulkProgress {
  readonly done: number
  readonly failed: readonly { readonly name: string; readonly error: Error }[]
}

const atOnce = 4

/** Changes devices, a few at a time. One that fails does not stop the others. @param onProgress after each device */
export async function changeEach(
  devices: readonly Pick<Device, 'id' | 'name'>[],
  change: (id: string) => Promise<unknown>,
  onProgress: (progress: BulkProgress) => void,
): Promise<BulkProgress> {
  const waiting = [...devices]
  let progress: BulkProgress = { done: 0, failed: [] }
  async function work(): Promise<void> {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const { id, name } = next
      let failed = progress.failed
      try {
        await change(id)
        failed = progress.failed
      } catch (cause) {
        const error = cause instanceof Error ? cause : new Error(String(cause))
        failed = [...progress.failed, { name, error }]
      }
      progress = { done: progress.done + 1, failed }
      onProgress(progress)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  return progress
}
