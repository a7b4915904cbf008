import type { Upload } from '@homeward/contract/device-cloud'
import { saveAs } from '../components/files/save-as.ts'
import { describeError } from '../components/states/error-state.tsx'
import { showToast } from '../components/states/toasts.tsx'
import { addressOf, fetchFile, isHere } from './file-address.ts'

/** Fetches an uploaded file with the token of the tab, and saves it. A failure shows as a toast. */
export async function saveFile(upload: Upload): Promise<void> {
  const address = addressOf(upload)
  if (address === undefined || !isHere(address)) return
  try {
    const content = await new Response(await fetchFile(address)).blob()
    saveAs(content, upload.fileName ?? 'file')
  } catch (error) {
    showToast({ tone: 'bad', ...describeError(error instanceof Error ? error : new Error(String(error))) })
  }
}
