import { Camera, Mic, MicOff } from 'lucide-react'
import { FileTrigger } from 'react-aria-components'
import { IconButton } from '../../components/buttons/icon-button.tsx'
import { AttachButton } from './files/attach-button.tsx'
import type { Dictation } from './use-dictation.ts'

/** What {@link ComposerTools} take. */
export interface ComposerToolsProps {
  readonly onFiles: (files: Iterable<File>) => void
  /** Whether this is a phone or a tablet, which has a camera. */
  readonly hasTouch: boolean
  /** Undefined where the browser does not recognize speech. */
  readonly dictation: Dictation | undefined
}

/** Ways to add to a message other than to write. */
export function ComposerTools({ onFiles, hasTouch, dictation }: ComposerToolsProps) {
  return (
    <div className="chat-composer-tools">
      <AttachButton onFiles={onFiles} />
      {hasTouch && <CameraButton onFiles={onFiles} />}
      {dictation && <DictationButton dictation={dictation} />}
    </div>
  )
}

/** Has a picture taken for the next message. */
function CameraButton({ onFiles }: { readonly onFiles: (files: Iterable<File>) => void }) {
  return (
    <FileTrigger
      acceptedFileTypes={['image/*']}
      defaultCamera="environment"
      onSelect={(files) => onFiles(files ?? [])}
    >
      <IconButton icon={<Camera aria-hidden />} label="Take a picture" />
    </FileTrigger>
  )
}

function DictationButton({ dictation }: { readonly dictation: Dictation }) {
  const { isListening, toggle } = dictation
  return (
    <IconButton
      icon={isListening ? <MicOff aria-hidden /> : <Mic aria-hidden />}
      label={isListening ? 'Stop dictation' : 'Dictate'}
      onPress={toggle}
    />
  )
}
