import type { Device } from '@homeward/contract/device-cloud'

/** Labels to add to and to remove from devices. */
export interface LabelChange {
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
export const isLabel = (text: string): boolean => /^[a-z0-9_./:-]{1,64}$/.test(text)

/** How a change of many devices goes. */
export interface BulkProgress {
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
