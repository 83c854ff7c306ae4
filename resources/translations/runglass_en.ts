<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="en" sourcelanguage="en">
<context>
    <name>FindingSpans</name>
    <message numerus="yes">
        <source>%n more</source>
        <translation>
            <numerusform>%n more</numerusform>
            <numerusform>%n more</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>runglass::GpuGrid</name>
    <message numerus="yes">
        <source>%n more open finding(s)</source>
        <translation>
            <numerusform>%n more open finding</numerusform>
            <numerusform>%n more open findings</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>runglass::IdlePanel</name>
    <message numerus="yes">
        <source>%n more</source>
        <translation>
            <numerusform>%n more</numerusform>
            <numerusform>%n more</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>runglass::RunStrip</name>
    <message numerus="yes">
        <source>%n chunk(s) left out</source>
        <translation>
            <numerusform>%n chunk left out</numerusform>
            <numerusform>%n chunks left out</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>runglass::SidePanels</name>
    <message numerus="yes">
        <source>%n more in Findings</source>
        <translation>
            <numerusform>%n more in Findings</numerusform>
            <numerusform>%n more in Findings</numerusform>
        </translation>
    </message>
</context>
</TS>
