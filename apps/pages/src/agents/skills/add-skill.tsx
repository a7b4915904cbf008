import { useState } from 'react'
import { useLocation } from 'wouter'
import { usePlatformMutation } from '../../api/platform.ts'
import { Card } from '../../components/layout/card.tsx'
import { ErrorState } from '../../components/states/error-state.tsx'
import { FileDrop } from '../../components/fields/file-drop.tsx'
import { type OfferedFile, toUpload, UploadPreview } from './upload-preview.tsx'

const maxBytes = 50 * 1024 * 1024

/** Installs a skill from a file, a zip archive or one SKILL.md, once it was looked at. */
export function AddSkill() {
  const [, navigate] = useLocation()
  const [problem, setProblem] = useState<Error>()
  const [offered, setOffered] = useState<OfferedFile>()
  const preview = usePlatformMutation('previewUploadedSkill')
  const error = problem ?? preview.error

  async function look(file: File): Promise<void> {
    setProblem(undefined)
    preview.reset()
    if (file.size > maxBytes)
      return setProblem(new Error(`${file.name} is larger than 50 MiB, the limit for skills.`))
    const isZip = await isArchive(file).catch(() => undefined)
    if (isZip === undefined) return setProblem(new Error(`${file.name} cannot be read. Choose another file.`))
    preview.mutate(toUpload(file), {
      onSuccess: ({ skill }) => setOffered({ file, isArchive: isZip, skill }),
    })
  }

  return (
    <Card title="Your own skill">
      <p className="muted">
        A ZIP archive with a SKILL.md or a skill.yaml, or a SKILL.md alone. You see its permissions and what
        it replaces before you install it.
      </p>
      <FileDrop
        label="Drop a .zip or a .md file here"
        buttonLabel="Choose a file"
        endings={['.zip', '.md', '.markdown']}
        onFile={(file) => void look(file)}
        isPending={preview.isPending}
      />
      {error && <ErrorState error={error} isInline />}
      {offered && (
        <UploadPreview
          offered={offered}
          onInstalled={(id) => navigate(`/skills/${id}`)}
          onClose={() => setOffered(undefined)}
        />
      )}
    </Card>
  )
}

/** By its first bytes: names say anything. */
async function isArchive(file: File): Promise<boolean> {
  const [first, second] = new Uint8Array(await file.slice(0, 2).arrayBuffer())
  return first === 0x50 && second === 0x4b
}
