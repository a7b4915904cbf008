import type { SkillPreview } from '@homeward/contract/agent-platform'
import { Button } from '../components/buttons/button.tsx'
import { DialogActions } from '../components/dialogs/dialog-actions.tsx'
import { Disclosure } from '../components/layout/disclosure.tsx'
import { ErrorState } from '../components/states/error-state.tsx'
import { Notice } from '../components/states/notice.tsx'
import { CapabilityList } from './capability-list.tsx'
import { asksForMore } from './capability-list.tsx'

/** What a {@link SkillOffer} takes. */
interface SkillOfferProps {
  readonly skill: SkillPreview
  readonly isPending: boolean
  readonly error: Error | null
  readonly onInstall: () => void
  readonly onClose: () => void
}

/** What a skill asks for and would change, before anybody installs it (D20). */
export function SkillOffer({ skill, isPending, error, onInstall, onClose }: SkillOfferProps) {
  const { description, installed, hash, capabilities, added, removed } = skill
  const isSame = installed?.hash === hash
  return (
    <>
      <p className="foreign">{description}</p>
      <Summary skill={skill} isSame={isSame} />
      {skill.warnings.map(({ message }) => (
        <Notice key={message} tone="warn">
          {message}
        </Notice>
      ))}
      <CapabilityList capabilities={capabilities} {...(installed && { added, removed })} />
      {installed && !isSame && <ChangedFiles paths={skill.changed_files} />}
      {error && <ErrorState error={error} isInline />}
      <DialogActions>
        <Button onPress={onClose}>Close</Button>
        {!isSame && (
          <Button variant="primary" isPending={isPending} onPress={onInstall}>
            {installed ? 'Update' : 'Install'}
          </Button>
        )}
      </DialogActions>
    </>
  )
}

function Summary({ skill, isSame }: { readonly skill: SkillPreview; readonly isSame: boolean }) {
  const { id, installed, added, version } = skill
  if (isSame) return <Notice>This version is already installed.</Notice>
  if (!installed) {
    return (
      <Notice>Installing runs no code of the skill. Once an agent has the skill, its tools can use:</Notice>
    )
  }
  const versions = `${installed.version ?? `The installed ${id}`} becomes ${version ?? 'another one'}.`
  if (asksForMore(added))
    return <Notice tone="warn">{versions} This version asks for more permissions.</Notice>
  return <Notice>{versions} This version asks for no new permissions.</Notice>
}

function ChangedFiles({ paths }: { readonly paths: readonly string[] }) {
  return (
    <Disclosure
      title={paths.length === 1 ? '1 file is new or changed' : `${paths.length} files are new or changed`}
    >
      <ul className="mono small foreign">
        {paths.map((path) => (
          <li key={path}>{path}</li>
        ))}
      </ul>
    </Disclosure>
  )
}
