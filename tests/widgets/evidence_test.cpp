// SPDX-License-Identifier: GPL-3.0-or-later
// The painting of evidence: as vectors, in both themes, limited, safe; and the card that shows it.
#include <QLabel>
#include <QLineEdit>
#include <QSignalSpy>
#include <QTest>
#include <QToolButton>
#include <QXmlStreamReader>

#include "storage/open_store.h"
#include "tests/widgets/evidence_fixture.h"
#include "widgets/evidence/evidence_card.h"
#include "widgets/evidence/timeline_crop.h"
#include "widgets/ranking/heat_paint.h"

namespace runglass {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// Every word that a reader of the file would find.
QString textOf(const QByteArray& svg) {
  QXmlStreamReader xml(svg);
  QString text;
  while (!xml.atEnd())
    if (xml.readNext() == QXmlStreamReader::Characters) text += xml.text();
  EXPECT_FALSE(xml.hasError()) << xml.errorString().toStdString();
  return text;
}

TEST_F(TracedEvidenceTest, TextStaysTextAndNothingIsAPictureOfPixels) {
  const std::map<std::string, std::string> words = {{"loss", "gradient norm"},        {"steps", "step time"}, {"timeline", "rank 5"},
                                                    {"device", "fallen off the bus"}, {"series", "Power"},    {"log", "NCCL timeout"}};
  for (const auto& [kind, word] : words) {
    EvidenceQuestion asked = question(kind.c_str(), "rank=5,metric=power_watts");
    if (kind == "timeline") asked.card.range = TimeRange{timeOf(45), timeOf(46)};
    const Evidence evidence = read(asked);
    ASSERT_FALSE(evidence.empty()) << kind << plain(evidence.reason);
    for (const double width : {643.0, 420.0}) {
      const QByteArray svg = svgOf(evidence, width, theme(ThemeName::kLight));
      EXPECT_THAT(plain(textOf(svg)), HasSubstr(word)) << kind;
      EXPECT_EQ(svg.count("<image"), 0) << kind;
      EXPECT_LE(shapesIn(svg), kMaxShapes) << kind;
      EXPECT_LT(svg.size(), 300'000) << kind;
    }
    QBuffer pdf;
    pdf.open(QIODevice::WriteOnly);
    {
      QPdfWriter writer(&pdf);
      writer.setResolution(1200);
      QPainter painter(&writer);
      painter.scale(1200 / 96.0, 1200 / 96.0);
      paintEvidence(painter, QRectF(0, 0, 643, heightOf(evidence, 643)), evidence, theme(ThemeName::kLight));
    }
    EXPECT_EQ(pdf.data().count("/Subtype /Image"), 0) << kind;
    EXPECT_GT(pdf.data().count("/FontFile"), 0) << kind << ": fonts are embedded";
  }
}

TEST_F(EvidenceTest, OneEvidenceIsPaintedInTheThemeItIsGivenWhateverTheConsoleHas) {
  const Evidence loss = read("loss");
  for (const ThemeName name : {ThemeName::kLight, ThemeName::kDark}) {
    const Theme& tokens = theme(name);
    const QImage image = imageOf(loss, 643, tokens);
    EXPECT_EQ(image.pixel(1, 1), tokens.surface.rgb());
    EXPECT_GT(pixelsOf(image, tokens.ground), 1'000);
    EXPECT_GT(pixelsOf(image, tokens.series[0]), 20) << "the curve";
    EXPECT_EQ(pixelsOf(image, theme(name == ThemeName::kLight ? ThemeName::kDark : ThemeName::kLight).ground), 0);
  }
}

TEST_F(EvidenceTest, APictureStaysWithinItsAreaAndMovesWithIt) {
  const Evidence steps = read("steps");
  const int width = 420, height = static_cast<int>(heightOf(steps, width));
  QImage image(width + 60, height + 60, QImage::Format_RGB32);
  image.fill(Qt::magenta);
  QPainter painter(&image);
  paintEvidence(painter, QRectF(30, 30, width, height), steps, theme(ThemeName::kLight));
  painter.end();
  for (int x = 0; x < image.width(); ++x) {
    EXPECT_EQ(image.pixelColor(x, 29), QColor(Qt::magenta));
    EXPECT_EQ(image.pixelColor(x, 30 + height), QColor(Qt::magenta));
  }
  EXPECT_EQ(image.copy(30, 30, width, height), imageOf(steps, width, theme(ThemeName::kLight)));
}

const char* const kHostile[] = {"<script>alert(1)</script>", "\x1b[2J\x1b[31m", "a\u202Eb\u2066c", "]]>&amp;\"'",
                                "=cmd|' /C calc'!A0",        "\xff\xfe\xfd"};

// Every name in a store is hostile.
class HostileEvidenceTest : public EvidenceTest {
 protected:
  bool recordsUsual() const override { return false; }
  void record(Writer& writer) override {
    std::string all;
    for (const char* one : kHostile) all += one;
    const NodeId node = writer.node({.uuid = "h", .name = all});
    const DeviceId gpu = writer.device({.uuid = "g'; DROP TABLE run; --", .node = node, .index = 0, .kind = "gpu"});
    writer.rank({.attempt = m_attempt, .rank = 0, .node = node, .device = gpu});
    SeriesKey key;
    key.node = node, key.device = gpu, key.metric = "power_watts", key.unit = "watts";
    const SeriesId power = writer.series(key);
    SeriesKey odd;
    odd.attempt = m_attempt, odd.metric = "x' OR '1'='1<b>", odd.kind = SeriesKind::kScalar;
    const SeriesId scalar = writer.series(odd);
    const SeriesId loss = scalarOf(writer, "loss", "");
    for (std::int64_t step = 0; step < kSteps; ++step) {
      writer.sample(power, timeOf(step), 1e308 * (step % 2 == 0 ? 1 : -1));
      writer.scalar(scalar, step, timeOf(step), step % 3 == 0 ? std::nan("") : std::numeric_limits<double>::infinity());
      writer.scalar(loss, step, timeOf(step), step % 5 == 0 ? -std::numeric_limits<double>::infinity() : 1e300);
    }
    for (const char* one : kHostile)
      writer.log({.time = timeOf(50),
                  .attempt = m_attempt,
                  .node = node,
                  .rank = 0,
                  .stream = one,
                  .severity = Severity::kError,
                  .text = one + std::string(100'000, 'x')});
    Event event;
    event.time = timeOf(50), event.node = node, event.device = gpu, event.kind = all, event.code = all, event.severity = Severity::kError,
    event.message = all;
    writer.event(event);
    const TrackId track = writer.track({.attempt = m_attempt, .rank = 0, .kind = all, .name = all});
    SpanColumns spans;
    spans.start = {timeOf(50)}, spans.dur = {20 * kNsPerSecond}, spans.name = {0}, spans.category = {SpanCategory::kCompute},
    spans.names = {all};
    writer.spans(track, spans);
  }
};

TEST_F(HostileEvidenceTest, WhatOthersWroteIsTextAndNothingElse) {
  for (const EvidenceKind& kind : kEvidenceKinds) {
    for (const char* select : {"rank=0,metric=power_watts", "rank=0,metric=x' OR '1'='1<b>"}) {
      const Evidence evidence = read(kind.id, select);
      const QByteArray svg = svgOf(evidence, 643, theme(ThemeName::kLight));
      EXPECT_EQ(svg.count("<script"), 0) << kind.id;
      EXPECT_EQ(svg.count('\x1b'), 0) << kind.id;
      const QString text = textOf(svg) + evidence.title + evidence.caption + evidence.coverage + evidence.reason;
      EXPECT_FALSE(text.contains(QChar(0x202E)) || text.contains(QChar(0x2066)) || text.contains(QChar(0x1b))) << kind.id;
      EXPECT_LT(svg.size(), 300'000) << kind.id;
      EXPECT_THAT(evidence.place.select, Not(HasSubstr("script"))) << "a name that cannot be selected is not in the link";
      if (!evidence.empty()) rowsOf(evidence);
    }
  }
}

// A pixel of a few ranks contains a few thousand spans.
class DenseEvidenceTest : public EvidenceTest {
 protected:
  static constexpr int kSpans = 40'000;
  void record(Writer& writer) override {
    for (std::int32_t r = 0; r < 6; ++r) {
      const TrackId track = writer.track({.attempt = m_attempt, .rank = r, .kind = "gpu_stream", .name = "stream 8"});
      SpanColumns spans;
      for (int i = 0; i < kSpans; ++i) {
        spans.start.push_back(timeOf(60) + i * 200'000LL);
        spans.dur.push_back(60'000 + (i * 7'919LL) % 130'000);
        spans.name.push_back(0), spans.category.push_back(i % 3 == 0   ? SpanCategory::kComm
                                                          : i % 3 == 1 ? SpanCategory::kCompute
                                                                       : SpanCategory::kMemcpy);
      }
      spans.names = {"k"};
      writer.spans(track, spans);
    }
  }
};

TEST_F(DenseEvidenceTest, ACropOfManySpansIsFewShapes) {
  EvidenceQuestion asked = question("timeline", "rank=2,ranks=0-5");
  asked.card.range = TimeRange{timeOf(60), timeOf(68)}, asked.columns = 4'000;
  const Evidence crop = read(asked);
  ASSERT_FALSE(crop.empty()) << plain(crop.reason);
  EXPECT_LE(shapesOf(dynamic_cast<const CropPicture&>(*crop.picture).crop()), kMaxShapes);
  for (const double width : {420.0, 643.0, 2'000.0}) {
    const QByteArray svg = svgOf(crop, width, theme(ThemeName::kLight));
    EXPECT_LE(shapesIn(svg), kMaxShapes) << width;
    EXPECT_GT(shapesIn(svg), 50) << width << ": something is left";
  }
  EXPECT_THAT(plain(crop.coverage), HasSubstr("6 of 8 ranks, 2"));
}

TEST(HeatVectorTest, ARectangleARunAndNoneForWhatIsAsItsPeersAre) {
  HeatCells cells;
  for (std::int64_t step = 0; step < 200; ++step) cells.steps.push_back(step);
  for (std::int32_t rank = 0; rank < 1'024; ++rank) cells.rows.push_back({rank, std::vector<float>(200, 0.0F)});
  std::ranges::fill(cells.rows[37].ratio, 0.2F);
  cells.rows[99].ratio[5] = std::numeric_limits<float>::quiet_NaN();
  cells.scale = 0.2;
  QImage image(400, 300, QImage::Format_RGB32);
  QPainter painter(&image);
  EXPECT_EQ(paintHeatVector(painter, image.rect(), cells, theme(ThemeName::kLight)), 1) << "rows share a pixel: the worst counts";
  painter.end();
  EXPECT_EQ(image.pixel(200, 11), theme(ThemeName::kLight).heat_worse.rgb());
  EXPECT_EQ(image.pixel(200, 200), theme(ThemeName::kLight).ground.rgb());
}

TEST(HeatVectorTest, WhatIsBetterFillsHalfACell) {
  HeatCells cells;
  cells.steps = {1}, cells.rows = {{0, {-0.2F}}, {1, {0.2F}}}, cells.scale = 0.2;
  QImage image(5, 40, QImage::Format_RGB32);
  QPainter painter(&image);
  paintHeatVector(painter, image.rect(), cells, theme(ThemeName::kDark));
  painter.end();
  EXPECT_EQ(image.pixel(2, 4), theme(ThemeName::kDark).ground.rgb());
  EXPECT_EQ(image.pixel(2, 15), theme(ThemeName::kDark).heat_better.rgb());
  EXPECT_EQ(image.pixel(2, 24), theme(ThemeName::kDark).heat_worse.rgb());
}

class ManyRanksEvidenceTest : public EvidenceTest {
 protected:
  static constexpr std::int32_t kMany = 1'024;
  bool recordsUsual() const override { return false; }
  void record(Writer& writer) override {
    for (std::int32_t r = 0; r < kMany; ++r) {
      writer.rank({.attempt = m_attempt, .rank = r});
      const SeriesId steps = scalarOf(writer, "step_time_ns", "ns", r);
      for (std::int64_t step = 0; step < kSteps; ++step)
        writer.scalar(steps, step, timeOf(step), (r == 700 && step >= kSlowFrom ? 1.3e9 : 1e9) + 1e6 * ((r * 7 + step) % 11));
    }
  }
};

TEST_F(ManyRanksEvidenceTest, OfManyRanksTheWorstAreRowsAndTheSlowestIsNamed) {
  const Evidence steps = read("steps");
  ASSERT_FALSE(steps.empty()) << plain(steps.reason);
  EXPECT_THAT(plain(steps.shows), HasSubstr("rank 700"));
  EXPECT_THAT(plain(steps.coverage), HasSubstr("1 024 of 1 024 ranks"));
  const QByteArray svg = svgOf(steps, 643, theme(ThemeName::kLight));
  EXPECT_THAT(plain(textOf(svg)), HasSubstr("the worst 16 of 1 024 ranks"));
  // The mark may come from another font, and is then a separate text.
  EXPECT_THAT(plain(textOf(svg).simplified()), HasSubstr("▸ 700"));
  EXPECT_LE(shapesIn(svg), 800);
  EXPECT_LT(heightOf(steps, 643), 600);
}

class LoggedEvidenceTest : public EvidenceTest {
 protected:
  bool recordsUsual() const override { return false; }
  void record(Writer& writer) override {
    for (const char* tag : {"iteration time", "elapsed time per iteration"}) {
      const SeriesId id = writer.series(
          {.attempt = m_attempt, .metric = tag, .labels = R"({"canonical":"step_time_ns"})", .unit = "ns", .kind = SeriesKind::kScalar});
      for (std::int64_t step = 0; step < kSteps; ++step) writer.scalar(id, step, timeOf(step), 1e9);
    }
  }
};

TEST_F(LoggedEvidenceTest, StepTimesThatALogPrintsTwiceAreOneCurve) {
  const Evidence steps = read("steps");
  ASSERT_FALSE(steps.empty()) << plain(steps.reason);
  EXPECT_THAT(plain(steps.coverage), HasSubstr("1 of 1 "));
}

class EvidenceCardTest : public EvidenceTest {
 protected:
  void SetUp() override {
    EvidenceTest::SetUp();
    m_queries = std::make_unique<QueryService>([this] { return openStore(m_store.path()).reader(); }, 1);
    m_card = std::make_unique<EvidenceCard>(m_queries.get());
    m_card->resize(440, 400);
  }
  void showCard(const EvidenceQuestion& question) {
    m_card->setQuestion(question);
    m_card->show();
    ASSERT_TRUE(waitFor([this] { return m_card->isFinal(); }));
  }
  bool says(const QString& words) const {
    for (const QLabel* label : m_card->findChildren<QLabel*>())
      if (label->isVisibleTo(m_card.get()) && label->text().contains(words)) return true;
    return false;
  }
  std::unique_ptr<QueryService> m_queries;
  std::unique_ptr<EvidenceCard> m_card;
};

TEST_F(EvidenceCardTest, ReadsItselfAndGoesToItsPlace) {
  m_card->setQuestion(question("loss"));
  EXPECT_FALSE(m_card->isFinal()) << "nothing is read for a card that nobody sees";
  showCard(question("loss"));
  ASSERT_TRUE(m_card->evidence());
  EXPECT_TRUE(says(QStringLiteral("Loss spike at step")));
  EXPECT_GT(m_card->heightForWidth(440), 150);
  QSignalSpy opened(m_card.get(), &EvidenceCard::opened);
  QTest::mouseDClick(m_card.get(), Qt::LeftButton, {}, QPoint(200, 80));
  QTest::keyClick(m_card.get(), Qt::Key_Return);
  ASSERT_EQ(opened.size(), 2);
  EXPECT_EQ(opened[0][0].value<EvidencePlace>().view, "curves");
  EXPECT_GT(pixelsOf(m_card->grab().toImage(), currentTheme().ground), 1'000);
}

TEST_F(EvidenceCardTest, IsNeverLowerThanItsPicture) {
  showCard(question("loss"));
  EXPECT_EQ(m_card->minimumHeight(), m_card->heightForWidth(m_card->width()));
  EXPECT_GE(m_card->height(), m_card->heightForWidth(m_card->width()));
  const int before = m_card->minimumHeight();
  m_card->setQuestion(question("series", "metric=nobody"));
  ASSERT_TRUE(waitFor([this] { return m_card->isFinal(); }));
  EXPECT_LT(m_card->minimumHeight(), before);
}

TEST_F(EvidenceCardTest, SaysWhatIsMissingAndWhatFailed) {
  showCard(question("series", "metric=nobody"));
  EXPECT_TRUE(says(QStringLiteral("Nothing to show")));
  EXPECT_TRUE(says(QStringLiteral("nobody")));
  EvidenceQuestion gone = question("loss");
  gone.run = RunId{4'711};
  showCard(gone);
  EXPECT_TRUE(says(QStringLiteral("could not be read")) || m_card->evidence()) << "an unknown run is the one that is there, or an error";
}

TEST_F(EvidenceCardTest, CanBeRemovedAndCaptionedOnlyWhereItsOwnerSaysSo) {
  showCard(question("loss"));
  auto* remove = m_card->findChild<QToolButton*>();
  auto* caption = m_card->findChild<QLineEdit*>();
  EXPECT_FALSE(remove->isVisible());
  EXPECT_FALSE(caption->isVisible());
  m_card->setEditable(true);
  EXPECT_TRUE(remove->isVisible());
  QSignalSpy removed(m_card.get(), &EvidenceCard::removed), edited(m_card.get(), &EvidenceCard::captionEdited);
  QTest::mouseClick(remove, Qt::LeftButton);
  EXPECT_EQ(removed.size(), 1);
  caption->setFocus();
  QTest::keyClicks(caption, "it rose");
  QTest::keyClick(caption, Qt::Key_Return);
  ASSERT_EQ(edited.size(), 1);
  EXPECT_EQ(edited[0][0].toString(), "it rose");
}

}  // namespace
}  // namespace runglass
