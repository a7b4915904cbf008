import { useRef, useState } from 'react'
import { useLocation } from 'wouter'
import { usePlatformMutation } from '../../api/platform.ts'
import { Card } from '../../components/card.tsx'
import { ErrorState } from '../../components/error-state.tsx'
import { FileDrop } from '../../components/file-drop.tsx'
import { showToast } from '../../components/toasts.tsx'
import { type ReplacedSkill, readInstalledSkills } from './replaced-skill.ts'

const maxBytes = 50 * 1024 * 1024

/** Installs a skill from a file: a zip archive, or one SKILL.md. */
export function AddSkill() {
  const [, navigate] = useLocation()
  const [problem, setProblem] = useState<Error>()
  const before = useRef<ReadonlyMap<string, ReplacedSkill>>(undefined)
  const options = {
    invalidates: ['listSkills', 'getSkill'] as const,
    onSuccess({ skill }: { readonly skill: { readonly id: string } }) {
      showToast({
        title: `${skill.id} is installed`,
        text: 'See what it can do before you give it to an agent.',
      })
      const replaced = before.current?.get(skill.id)
      navigate(`/skills/${skill.id}`, replaced && { state: { replaced } })
    },
  }
  const uploadZip = usePlatformMutation('uploadSkill', options)
  const uploadMarkdown = usePlatformMutation('uploadSkillMarkdown', options)
  const isPending = uploadZip.isPending || uploadMarkdown.isPending
  const error = problem ?? uploadZip.error ?? uploadMarkdown.error

  async function upload(file: File): Promise<void> {
    setProblem(undefined)
    uploadZip.reset()
    uploadMarkdown.reset()
    if (file.size > maxBytes)
      return setProblem(new Error(`${file.name} is larger than 50 MiB: a skill may not be.`))
    const input = { form: {}, file: { fileName: file.name, size: file.size, content: file } }
    try {
      // Where it cannot be read, the upload says why.
      before.current = await readInstalledSkills().catch(() => undefined)
      if (await isArchive(file)) uploadZip.mutate(input)
      else uploadMarkdown.mutate(input)
    } catch {
      setProblem(new Error(`${file.name} cannot be read.`))
    }
  }

  return (
    <Card title="Your own skill">
      <p className="muted">
        A zip archive with a SKILL.md or a skill.yaml, or a SKILL.md alone. A skill of the same name is
        replaced; nothing of it runs when it is installed.
      </p>
      <FileDrop
        label="Drop a .zip or a .md file here"
        buttonLabel="Choose a file"
        endings={['.zip', '.md', '.markdown']}
        onFile={(file) => void upload(file)}
        isPending={isPending}
      />
      {error && <ErrorState error={error} isInline />}
    </Card>
  )
}

/** By its first bytes: names say anything. */
async function isArchive(file: File): Promise<boolean> {
  const [first, second] = new Uint8Array(await file.slice(0, 2).arrayBuffer())
  return first === 0x50 && second === 0x4b
}
