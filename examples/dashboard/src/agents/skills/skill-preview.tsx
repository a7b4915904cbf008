import type { StoreSkillPreview } from '@homeward/contract/agent-platform'
import { usePlatformMutation, usePlatformQuery } from '../../api/platform.ts'
import { Button } from '../../components/button.tsx'
import { DialogActions } from '../../components/dialog.tsx'
import { Disclosure } from '../../components/disclosure.tsx'
import { ErrorState } from '../../components/error-state.tsx'
import { Notice } from '../../components/notice.tsx'
import { QueryView } from '../../components/query-view.tsx'
import { showToast } from '../../components/toasts.tsx'
import { CapabilityList } from './capability-list.tsx'
import { asksForMore } from './compare-capabilities.ts'

/** What a {@link SkillPreview} takes. */
export interface SkillPreviewProps {
  readonly slug: string
  readonly onDone: () => void
}

/** What a skill of the store asks for and would change, before anybody installs it (D20). */
export function SkillPreview({ slug, onDone }: SkillPreviewProps) {
  const query = usePlatformQuery('previewStoreSkill', { query: { slug } })
  return (
    <QueryView query={query} loadingLabel="Fetching it from the store …">
      {({ skill }) => <Preview skill={skill} onDone={onDone} onOutdated={() => void query.refetch()} />}
    </QueryView>
  )
}

interface PreviewProps {
  readonly skill: StoreSkillPreview
  readonly onDone: () => void
  /** The store has other content by now. */
  readonly onOutdated: () => void
}

function Preview({ skill, onDone, onOutdated }: PreviewProps) {
  const { slug, name, description, installed, hash, capabilities, added, removed } = skill
  const install = usePlatformMutation('installSkill', {
    invalidates: ['listSkills', 'getSkill', 'previewStoreSkill', 'getSkillConfigSchema', 'getSkillConfig'],
    onSuccess() {
      showToast({ title: installed ? `${name} is updated` : `${name} is installed` })
      onDone()
    },
    onError: onOutdated,
  })
  const isSame = installed?.hash === hash
  return (
    <>
      <p className="foreign">{description}</p>
      <Summary skill={skill} isSame={isSame} />
      <CapabilityList capabilities={capabilities} {...(installed && { added, removed })} />
      {installed && !isSame && <ChangedFiles paths={skill.changed_files} />}
      {install.error && <ErrorState error={install.error} isInline />}
      <DialogActions>
        <Button onPress={onDone}>Close</Button>
        {!isSame && (
          <Button
            variant="primary"
            isPending={install.isPending}
            onPress={() => install.mutate({ body: { slug, hash } })}
          >
            {installed ? 'Update' : 'Install'}
          </Button>
        )}
      </DialogActions>
    </>
  )
}

function Summary({ skill, isSame }: { readonly skill: StoreSkillPreview; readonly isSame: boolean }) {
  const { installed, added, version } = skill
  if (isSame) return <Notice>It is installed as the store has it.</Notice>
  if (!installed) {
    return (
      <Notice>
        Nothing of it runs when it is installed. Its tools can do this once an agent has the skill:
      </Notice>
    )
  }
  const versions = `${installed.version ?? 'The installed one'} becomes ${version ?? 'another one'}.`
  if (asksForMore(added)) return <Notice tone="warn">{versions} It asks for more than before.</Notice>
  return <Notice>{versions} It asks for nothing new.</Notice>
}

function ChangedFiles({ paths }: { readonly paths: readonly string[] }) {
  return (
    <Disclosure
      title={paths.length === 1 ? '1 file is new or other' : `${paths.length} files are new or other`}
    >
      <ul className="mono small foreign">
        {paths.map((path) => (
          <li key={path}>{path}</li>
        ))}
      </ul>
    </Disclosure>
  )
}
