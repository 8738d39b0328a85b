import { useLayoutEffect, useRef, useState } from "hono/jsx/dom";
import { defaultLocale, textIn } from "../../../pages/document/page-words.ts";
import { PLACES, type Place, shareAddress } from "../../../pages/document/share-address.ts";
import { Icon } from "../../../views/icons.tsx";
import type { Locale } from "../../../views/locale.ts";
import { TEXTS as PAGE_TEXTS } from "../../../views/texts.ts";
import type { Editing } from "../editing.ts";
import { focusSoon } from "../focus-soon.ts";
import { locale as own_locale } from "../locale.ts";
import { ToolIcon } from "../tool-icon.tsx";
import { Dialog, useEditing } from "../ui.tsx";
import { pngOf, saveFile } from "./code-file.ts";
import { publish } from "./publish.ts";
import { SHARE_TEXTS } from "./share-texts.ts";

/** Gets the focus when the sheet opens. */
const COPY = "copy-address";

function PlaceIcon({ place }: { place: Place | null }) {
  if (place === "print") return <ToolIcon name="print" />;
  return <Icon name={place === null ? "web" : place === "email" ? "mail" : place} />;
}

export function ShareSheet(props: {
  editing: Editing;
  onClose: () => void;
  is_just_published?: boolean;
}) {
  const { editing } = props;
  const onClose = () => {
    props.onClose();
    requestAnimationFrame(focusOpener);
  };
  const page = useEditing(editing, (state) => state.saved);
  const [is_just_published, setPublished] = useState(props.is_just_published ?? false);
  const [place, setPlace] = useState<Place | null>(null);
  const [chosen, setLocale] = useState<Locale | null>(null);
  const locale = chosen !== null && page.locales.includes(chosen) ? chosen : defaultLocale(page);
  const address = shareAddress(location.origin, page, locale, place);
  return (
    <Dialog
      title={is_just_published ? SHARE_TEXTS.published : SHARE_TEXTS.title}
      class="share"
      onClose={onClose}
    >
      {page.status === "draft" && (
        <Unpublished editing={editing} onPublished={() => setPublished(true)} />
      )}
      <Places place={place} onChoose={setPlace} />
      {page.locales.length > 1 && (
        <fieldset class="share-choice">
          <legend>{SHARE_TEXTS.language}</legend>
          <div class="share-chips">
            {page.locales.map((each) => (
              <label class={chipClass(each === locale)} key={each}>
                <input
                  type="radio"
                  name="share-language"
                  checked={each === locale}
                  onChange={() => setLocale(each)}
                />
                <span lang={each}>{PAGE_TEXTS[each].own_name}</span>
              </label>
            ))}
          </div>
        </fieldset>
      )}
      <Address address={address} name={textIn(page.name, own_locale)} />
      <p class="hint" role="status">
        {place === null ? SHARE_TEXTS.plain : SHARE_TEXTS.counted(SHARE_TEXTS.places[place])}
      </p>
      <Code page_id={page.page_id} slug={page.slug} {...{ place, locale }} />
    </Dialog>
  );
}

/** The button that published the page is gone: then the one that opens this sheet again is next. */
function focusOpener(): void {
  if (document.activeElement !== document.body) return;
  document.querySelector<HTMLElement>(".editor-tools .primary")?.focus();
}

/** Shown until the service has published the page: before that its address leads nowhere. */
function Unpublished(props: { editing: Editing; onPublished: () => void }) {
  const { editing, onPublished } = props;
  const is_draft = useEditing(editing, ({ draft }) => draft.status === "draft");
  const press = async () => {
    // The button is gone then.
    focusSoon(COPY);
    if (await publish(editing)) onPublished();
  };
  return (
    <div class="share-draft">
      <p role="status">{is_draft ? SHARE_TEXTS.is_draft : SHARE_TEXTS.soon}</p>
      {is_draft && (
        <button type="button" class="primary" onClick={() => void press()}>
          {SHARE_TEXTS.publish}
        </button>
      )}
    </div>
  );
}

function chipClass(is_chosen: boolean): string {
  return is_chosen ? "share-chip is-chosen" : "share-chip";
}

function Places(props: { place: Place | null; onChoose: (place: Place | null) => void }) {
  return (
    <fieldset class="share-choice">
      <legend>{SHARE_TEXTS.where}</legend>
      <div class="share-chips is-long">
        {[null, ...PLACES].map((each) => (
          <label class={chipClass(each === props.place)} key={each ?? ""}>
            <input
              type="radio"
              name="share-place"
              value={each ?? ""}
              checked={each === props.place}
              onChange={() => props.onChoose(each)}
            />
            <PlaceIcon place={each} />
            <span>{each === null ? SHARE_TEXTS.anywhere : SHARE_TEXTS.places[each]}</span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}

/** People read Arabic in its letters, and what is counted with the address apart. */
function Shown({ address }: { address: string }) {
  const [main = "", query] = decodeURI(address)
    .replace(/^https?:\/\//, "")
    .split("?");
  return (
    <bdi dir="ltr">
      {main}
      {query !== undefined && (
        <span class="share-query">
          {`?${query}`.split("&").map((part, i) => (
            <>
              {i > 0 && <wbr />}
              {i > 0 ? `&${part}` : part}
            </>
          ))}
        </span>
      )}
    </bdi>
  );
}

function Address(props: { address: string; name: string }) {
  const { address, name } = props;
  const field = useRef<HTMLInputElement>(null);
  const [copied, setCopied] = useState<string | null>(null);
  const [is_by_hand, setByHand] = useState(false);
  useLayoutEffect(() => field.current?.select(), [is_by_hand, address]);
  const copy = async () => {
    setCopied(null);
    try {
      await navigator.clipboard.writeText(address);
      setByHand(false);
      setCopied(address);
    } catch {
      setByHand(true);
    }
  };
  // A browser rejects it where its user closes the dialog.
  const share = () => void navigator.share({ title: name, url: address }).catch(() => {});
  const said = copied === address ? SHARE_TEXTS.copied : is_by_hand ? SHARE_TEXTS.by_hand : "";
  return (
    <>
      <div class="share-address">
        {is_by_hand ? (
          <input
            ref={field}
            class="input"
            dir="ltr"
            aria-label={SHARE_TEXTS.address}
            readonly
            value={address}
          />
        ) : (
          <a class="share-shown" href={address} target="_blank" rel="noopener">
            <span class="sr">{SHARE_TEXTS.open}</span> <Shown address={address} />
          </a>
        )}
        <button type="button" class="primary" id={COPY} onClick={() => void copy()}>
          {SHARE_TEXTS.copy}
        </button>
      </div>
      <p class="share-said" role="status">
        {said}
      </p>
      {"share" in navigator && (
        <button type="button" class="secondary" onClick={share}>
          {SHARE_TEXTS.system}
        </button>
      )}
    </>
  );
}

function Code(props: { page_id: string; slug: string; place: Place | null; locale: Locale }) {
  const { page_id, slug, place, locale } = props;
  const picture = useRef<HTMLImageElement>(null);
  const [has_failed, setFailed] = useState(false);
  const query = new URLSearchParams({ lang: locale, ...(place === null ? {} : { source: place }) });
  const src = `/dashboard/pages/${page_id}/qr.svg?${query}`;
  const file = place === null ? slug : `${slug}-${place}`;
  const where = place === null ? SHARE_TEXTS.anywhere : SHARE_TEXTS.places[place];
  const savePng = async () => {
    const { current } = picture;
    const png = current === null ? null : await pngOf(current);
    setFailed(png === null);
    if (png !== null) saveFile(png, `${file}.png`);
  };
  return (
    <div class="share-code">
      <img
        // A new address of the page has another code.
        key={slug}
        ref={picture}
        src={src}
        alt={SHARE_TEXTS.code(where)}
        width="240"
        height="240"
        onLoad={() => setFailed(false)}
        onError={() => setFailed(true)}
      />
      {has_failed && (
        <p class="error" role="alert">
          {SHARE_TEXTS.code_failed}
        </p>
      )}
      <div class="dialog-buttons">
        <a class="secondary" href={src} download={`${file}.svg`}>
          {SHARE_TEXTS.svg}
        </a>
        <button type="button" class="secondary" onClick={() => void savePng()}>
          {SHARE_TEXTS.png}
        </button>
      </div>
    </div>
  );
}
