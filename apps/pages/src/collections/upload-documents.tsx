import { type CollectionDocument, maxDocumentBytes } from '@homeward/contract/agent-platform'
import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { ProgressBar } from 'react-aria-components'
import { platformToken } from '../api/access-token.ts'
import { refresh } from '../api/refresh.ts'
import { serverOrigin } from '../api/server-origin.ts'
import { Button } from '../components/buttons/button.tsx'
import { FileDrop } from '../components/fields/file-drop.tsx'
import { TextField } from '../components/fields/text-field.tsx'
import { Notice } from '../components/states/notice.tsx'
import '../components/states/progress.css'
import { formatBytes } from '../components/text/byte-size.tsx'
import './collections.css'

/** A file that the server did not take. */
interface RefusedFile {
  readonly name: string
  readonly reason: string
}

/** How far the upload of several files is. */
interface UploadState {
  readonly total: number
  readonly done: number
  readonly refused: readonly RefusedFile[]
}

interface UploadDocumentsProps {
  readonly collectionId: string
  /** Whether each document belongs to a user. */
  readonly isPerUser: boolean
}

const nothing: UploadState = { total: 0, done: 0, refused: [] }

/** Takes files for a collection, one request for each: a rejected file does not stop the others. */
export function UploadDocuments({ collectionId, isPerUser }: UploadDocumentsProps) {
  const queries = useQueryClient()
  const [userId, setUserId] = useState('')
  const [{ total, done, refused }, setState] = useState(nothing)
  const isRunning = done < total

  async function upload(files: readonly File[]): Promise<void> {
    setState({ total: files.length, done: 0, refused: [] })
    for (const file of files) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other: a file may have 64 MiB
      const reason = await sendFile(collectionId, file, isPerUser ? userId.trim() : '')
      setState((before) => ({
        ...before,
        done: before.done + 1,
        refused: reason === undefined ? before.refused : [...before.refused, { name: file.name, reason }],
      }))
      void readDocumentsAgain(queries)
    }
  }

  return (
    <div className="stack" data-gap="small">
      {isPerUser && (
        <TextField
          label="User whom the files belong to"
          description="Agents find these documents only in runs of this user."
          value={userId}
          onChange={setUserId}
          maxLength={200}
          isDisabled={isRunning}
        />
      )}
      <FileDrop
        label="Drop files here: PDF, Word, Excel, PowerPoint, email, web pages or text"
        buttonLabel="Upload files"
        endings={endings}
        isMultiple
        isPending={isRunning || (isPerUser && userId.trim() === '')}
        onFiles={(files) => void upload(files)}
      />
      {isRunning && (
        <ProgressBar className="progress" aria-label="Files uploaded" value={done} maxValue={total}>
          {({ percentage = 0 }) => (
            <>
              <span className="small muted numeric">
                {done} of {total} {total === 1 ? 'file' : 'files'} uploaded
              </span>
              <div className="progress-track">
                <div className="progress-fill" style={{ width: `${percentage}%` }} />
              </div>
            </>
          )}
        </ProgressBar>
      )}
      <p role="status" className="visually-hidden">
        {total > 0 && !isRunning && `${total - refused.length} of ${total} files uploaded`}
      </p>
      {refused.length > 0 && (
        <Notice tone="bad" actions={<Button onPress={() => setState(nothing)}>Close</Button>}>
          <p>{refused.length === 1 ? '1 file was' : `${refused.length} files were`} not uploaded:</p>
          <ul className="refused-files">
            {refused.map(({ name, reason }, index) => (
              <li key={index}>
                <strong className="foreign">{name}</strong>: {reason}
              </li>
            ))}
          </ul>
        </Notice>
      )}
    </div>
  )
}

const endings = '.pdf .docx .xlsx .pptx .odt .eml .html .htm .md .markdown .txt .csv .json'.split(' ')

/** Has the documents of collections read again, after one of them changed. */
const readDocumentsAgain = (queries: QueryClient): Promise<void> =>
  refresh(queries, { queryKey: ['listDocuments'] })

/** Sends a file. @returns why it was not taken, in words; undefined where it was. */
async function sendFile(collectionId: string, file: File, userId: string): Promise<string | undefined> {
  if (file.size > maxDocumentBytes)
    return `The file has ${formatBytes(file.size)}. A document has at most ${formatBytes(maxDocumentBytes)}.`
  if (file.size === 0) return 'The file is empty.'
  const form = new FormData()
  if (userId !== '') form.append('request', JSON.stringify({ user_id: userId }))
  form.append('file', file)
  const path = `/agent-platform/api/collections/${encodeURIComponent(collectionId)}/documents`
  try {
    const response = await platformToken.fetch(serverOrigin + path, {
      method: 'POST',
      body: form,
      headers: platformToken.authorization(),
    })
    return response.ok ? undefined : reasonIn(await response.text(), response.status)
  } catch {
    return 'The connection broke, or the file cannot be read. Upload it again.'
  }
}

/** The server’s own words, if there are any: a proxy before it may answer in HTML. */
export function reasonIn(body: string, status: number): string {
  try {
    const said: unknown = JSON.parse(body)
    const message: unknown = said === null ? undefined : Reflect.get(Object(said), 'message')
    if (typeof message === 'string' && message !== '') return message
  } catch {
    // not JSON: the status has to do
  }
  return status === 413
    ? 'The file is too large for the server, or for a proxy before it.'
    : `The server answered with status ${status}.`
}

/** Whether the text of a document is still being read. */
export const isQueued = ({ status }: CollectionDocument): boolean => status === 'queued'
