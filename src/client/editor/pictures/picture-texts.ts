import { formatBytes } from "../../../views/numbers.ts";
import { reader } from "../locale.ts";
import { FILE_BYTES_MAX, type Problem } from "./picture-file.ts";

function percent(share: number): string {
  return new Intl.NumberFormat(reader, { style: "percent" }).format(share);
}

const MAX = formatBytes(reader, FILE_BYTES_MAX);

interface Texts {
  title: string;
  current: string;
  choose: string;
  another: string;
  remove: string;
  how: string;
  how_else: string;
  opening: string;
  crop: string;
  crop_keys: string;
  crop_fingers: string;
  zoom_in: string;
  zoom_out: string;
  turn: string;
  use: string;
  cancel: string;
  retry: string;
  sign_in: string;
  sending: (bytes: number) => string;
  small: string;
  at: (zoom: number, x: number, y: number) => string;
  no_paste: string;
  lost: string;
  no_memory: string;
  problems: Readonly<Record<Problem, string>>;
}

export const PICTURE_TEXTS: Texts =
  LOCALE === "ar"
    ? {
        title: "الصورة",
        current: "الصورة الحالية",
        choose: "اختيار صورة",
        another: "صورة أخرى",
        remove: "حذف الصورة",
        how: "نقصّ الصورة ونصغّرها في جهازك قبل رفعها.",
        how_else: "يمكنك أيضًا لصقها هنا، أو سحبها إلى هذه النافذة.",
        opening: "جارٍ فتح الصورة…",
        crop: "قصّ الصورة",
        crop_keys:
          "اسحب الصورة أو حرّكها بمفاتيح الأسهم، وكبّرها وصغّرها بالمفتاحين + و −، وأدِرها بالمفتاح R.",
        crop_fingers: "اسحب الصورة بإصبع، وكبّرها وصغّرها بإصبعين.",
        zoom_in: "تكبير",
        zoom_out: "تصغير",
        turn: "تدوير ربع دورة",
        use: "استخدام الصورة",
        cancel: "إلغاء",
        retry: "إعادة المحاولة",
        sign_in: "تسجيل الدخول في نافذة جديدة",
        sending: (bytes) => `جارٍ رفع الصورة (${formatBytes(reader, bytes)})…`,
        small: "الصورة صغيرة بهذا القصّ، وقد لا تظهر واضحة.",
        at: (zoom, x, y) => `التكبير ${percent(zoom)}، أفقيًا ${percent(x)}، رأسيًا ${percent(y)}`,
        no_paste: "ليس فيما لصقته صورة. انسخ الصورة نفسها ثم الصقها، أو اختر ملفها.",
        lost: "انقطع الاتصال قبل أن تصل الصورة. ما قصصته باقٍ هنا.",
        no_memory: "لم تكفِ ذاكرة المتصفح لهذه الصورة. أغلق نوافذ أخرى، أو اختر صورة أصغر.",
        problems: {
          too_large: `هذا الملف أكبر من ${MAX}. صغّر الصورة أولًا، أو خذ لها لقطة شاشة.`,
          not_a_picture: "هذا الملف ليس صورة. اختر صورة JPEG أو PNG أو WebP أو AVIF.",
          heic: "هذا المتصفح لا يفتح صور HEIC. أرسلها بصيغة JPEG: في آيفون خذ للصورة لقطة شاشة، أو اختر من الإعدادات: الكاميرا، ثم التنسيقات، ثم «الأكثر توافقًا»؛ وعلى الحاسوب صدّرها بصيغة JPEG.",
          svg: "لا نقبل رسوم SVG لأنها قد تحمل برامج. صدّر الرسم بصيغة PNG.",
          gif: "لا نعرض الصور المتحركة (GIF). احفظ لقطة منها بصيغة PNG أو JPEG.",
          broken:
            "تعذّر فتح الصورة: الملف تالف أو ناقص أو أبعاده كبيرة جدًا. نزّلها من جديد، أو خذ لها لقطة شاشة.",
        },
      }
    : {
        title: "Picture",
        current: "The picture now",
        choose: "Choose a picture",
        another: "Another picture",
        remove: "Remove the picture",
        how: "The picture is cropped and made small on your device before it is uploaded.",
        how_else: "You can also paste it here, or drop it on this window.",
        opening: "Opening the picture…",
        crop: "Crop the picture",
        crop_keys:
          "Drag the picture or move it with the arrow keys, zoom with + and −, turn it with R.",
        crop_fingers: "Drag the picture with one finger, zoom with two.",
        zoom_in: "Zoom in",
        zoom_out: "Zoom out",
        turn: "Turn by a quarter",
        use: "Use the picture",
        cancel: "Cancel",
        retry: "Try again",
        sign_in: "Sign in in a new window",
        sending: (bytes) => `Uploading the picture (${formatBytes(reader, bytes)})…`,
        small: "Cropped like this the picture is small, and may look blurred.",
        at: (zoom, x, y) => `Zoom ${percent(zoom)}, across ${percent(x)}, down ${percent(y)}`,
        no_paste:
          "There is no picture in what you pasted. Copy the picture itself, or choose its file.",
        lost: "The connection was lost before the picture arrived. What you cropped is still here.",
        no_memory:
          "The browser has too little memory for this picture. Close other windows, or choose a smaller one.",
        problems: {
          too_large: `This file is larger than ${MAX}. Make the picture smaller first, or take a screenshot of it.`,
          not_a_picture: "This file is not a picture. Choose a JPEG, PNG, WebP or AVIF picture.",
          heic: "This browser cannot open HEIC pictures. Send it as JPEG: on an iPhone take a screenshot of the picture, or choose Settings, Camera, Formats, “Most Compatible”; on a computer export it as JPEG.",
          svg: "SVG drawings are not accepted, because they can contain programs. Export the drawing as PNG.",
          gif: "Moving pictures (GIF) are not shown. Save one frame as PNG or JPEG.",
          broken:
            "The picture cannot be opened: its file is broken or incomplete, or it has far too many pixels. Download it again, or take a screenshot of it.",
        },
      };
