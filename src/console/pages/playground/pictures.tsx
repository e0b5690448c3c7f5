// Pictures that go with a message: chosen by the reader, held as data addresses, shown small.
import { type ReactNode, useId, useState } from "react";
import { buttonClass, IconButton } from "../../ui/button.tsx";
import { Icon } from "../../ui/icons.tsx";
import { type Picture, setChat } from "./chat-store.ts";

const mostPictures = 4;
const mostBytes = 4_000_000;

export function Pictures({ pictures, onRemove }: { pictures: readonly Picture[]; onRemove?: (picture: Picture) => void }): ReactNode {
  if (pictures.length === 0) return null;
  return (
    <ul className="flex flex-wrap justify-end gap-2">
      {pictures.map((picture) => (
        <li key={picture.url} className="flex items-start">
          <img src={picture.url} alt={picture.name} className="h-20 rounded-lg border border-line object-contain" />
          {onRemove !== undefined && (
            <IconButton label={`Remove ${picture.name}`} onClick={() => onRemove(picture)}>
              <Icon name="close" />
            </IconButton>
          )}
        </li>
      ))}
    </ul>
  );
}

/** `blind`: the name of a chosen model that reads no pictures. */
export function AddPictures({ pictures, blind }: { pictures: readonly Picture[]; blind: string | undefined }): ReactNode {
  const id = useId();
  const [fault, setFault] = useState("");
  const add = async (files: readonly File[]) => {
    const fitting = files.filter(({ type, size }) => type.startsWith("image/") && size <= mostBytes);
    const added = await Promise.all(fitting.map(async (file) => ({ name: file.name, url: await dataUrlOf(file) })));
    const all = [...pictures, ...added];
    setChat({ pictures: all.slice(0, mostPictures) });
    setFault(fitting.length < files.length || all.length > mostPictures ? "At most 4 pictures of 4 MB each." : "");
  };
  if (blind !== undefined) return <p className="mr-auto text-xs text-quiet">{blind} reads no pictures.</p>;
  return (
    <span className="mr-auto flex items-center gap-3">
      <label htmlFor={id} className={`${buttonClass("quiet")} cursor-pointer has-focus-visible:outline-2`}>
        <Icon name="plus" /> Add pictures
        <input
          id={id}
          type="file"
          multiple
          accept="image/png,image/jpeg,image/webp,image/gif"
          className="sr-only"
          onChange={({ target }) => {
            void add([...(target.files ?? [])]);
            target.value = "";
          }}
        />
      </label>
      <span role="status" className="text-xs text-bad">
        {fault}
      </span>
    </span>
  );
}

async function dataUrlOf(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(reader.result as string);
    reader.onerror = () => reject(new Error("the picture could not be read."));
    reader.readAsDataURL(file);
  });
}
